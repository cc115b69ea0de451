"""The rules of the caller are extended by what a configuration file says."""
import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh

DEFAULT = [("batch", "data")]


def rules_for(extra):
    merged = dict(DEFAULT)
    merged.update(extra)
    return tuple(merged.items())


@jax.jit
def f(x):
    return nn.with_logical_constraint(x, ("batch", "feature"))


with jax.set_mesh(Mesh(np.array(jax.devices()), ("data",))), nn.logical_axis_rules(rules_for({"feature": None})):
    print(f(np.ones((8, 4), np.float32)).sharding.spec)

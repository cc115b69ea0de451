"""A context manager of our own enters mesh and rules."""
import contextlib

import flax.linen as nn
import jax
import numpy as np
from jax.sharding import Mesh

RULES = (("batch", "data"), ("mlp", None))


@contextlib.contextmanager
def parallel(mesh, rules=RULES):
    with jax.set_mesh(mesh), nn.logical_axis_rules(rules):
        yield mesh


@jax.jit
def f(x):
    return nn.with_logical_constraint(x * 2, ("batch", "mlp"))


with parallel(Mesh(np.array(jax.devices()), ("data",))):
    print(f(np.ones((8, 4), np.float32)).sharding.spec)

"""Rules as an argument, by a context manager of our own, and code that leaves both to its caller."""
import contextlib

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType

RULES = (("batch", "data"), ("embed", None))
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@contextlib.contextmanager
def partitioned(mesh, rules):
    with jax.set_mesh(mesh), nn.logical_axis_rules(rules):
        yield


def layer_for_callers(x):
    return nn.with_logical_constraint(jnp.sin(x), ("batch", "embed"))


class Norm(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.with_logical_constraint(nn.LayerNorm()(x), ("batch", "embed"))


x = np.ones((8, 4), np.float32)
model = Norm()
params = model.init(jax.random.key(0), x)
with partitioned(mesh, RULES):
    print(jax.jit(model.apply)(params, x).sharding.spec)
g = jax.jit(lambda v: nn.with_logical_constraint(v * 2, ("batch", None), rules=RULES, mesh=mesh))
print(g(x).sharding.spec)

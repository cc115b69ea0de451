"""make_mesh makes Explicit axes, a constraint names one."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

TYPES = {"data": AxisType.Explicit, "model": AxisType.Auto}
mesh = jax.make_mesh((4, 2), tuple(TYPES), axis_types=tuple(TYPES.values()))


def constrain(x, *names):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*names)))


@jax.jit
def f(x):
    x = constrain(x, None, "model")
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data", "model")))  # want SHD314 "data.*Explicit"


print(f(jnp.ones((8, 4))))

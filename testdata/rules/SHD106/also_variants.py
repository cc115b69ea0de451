import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

OPEN = P.UNCONSTRAINED
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
explicit = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))


@functools.partial(jax.jit, out_shardings=NamedSharding(mesh, P(OPEN)))  # want SHD106 "out_shardings"
def f(x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(OPEN, "model")))


x = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, OPEN)))  # want SHD106 "device_put"
s = NamedSharding(explicit, P(OPEN))  # want SHD106 "UNCONSTRAINED"

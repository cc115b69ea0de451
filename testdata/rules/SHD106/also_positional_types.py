from functools import partial

import jax.numpy as jnp
from jax import jit, make_mesh
from jax.lax import with_sharding_constraint
from jax.sharding import AxisType as T, NamedSharding, PartitionSpec

mesh = make_mesh(
    (4, 2),
    ('a', 'b'),
    (T.Explicit, T.Explicit),
)
OPEN = PartitionSpec.UNCONSTRAINED


@jit
def f(x):
    return with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(OPEN, 'b')))  # want SHD106 "P\.UNCONSTRAINED needs an Auto axis, but it meets mesh, whose"


print(f(jnp.ones((8, 8))).shape)

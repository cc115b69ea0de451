"""The same in other spellings."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh(
    (4, 2),
    ("data", "model"),
    axis_types=(AxisType.Explicit, AxisType.Explicit),
)
SPEC = P(("data", "model"))


def f(x):
    x = lax.with_sharding_constraint(x, shardings=NamedSharding(mesh, P("data", None)))  # want SHD314 "with_sharding_constraint takes Auto axes only, and \'data\'"
    return lax.with_sharding_constraint(x + 1, NamedSharding(mesh, SPEC))  # want SHD314 "with_sharding_constraint takes Auto axes only, and \'data\'"


print(jax.jit(f)(jnp.ones((8, 4))).shape)

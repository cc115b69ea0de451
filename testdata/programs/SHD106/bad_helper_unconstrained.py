import jax
import jax.numpy as jnp
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

U = P.UNCONSTRAINED
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
explicit = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))


def layout(m, *entries, rest=U):
    return NamedSharding(m, P(*entries, rest))  # want SHD106 "UNCONSTRAINED"


print(layout(explicit, "x"))
step = jax.jit(lambda x: x * 2, in_shardings=NamedSharding(mesh, P(U, "model")))  # want SHD106 "UNCONSTRAINED"
print(step(jnp.ones((8, 4))).shape)

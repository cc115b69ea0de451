import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Explicit))
auto = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
KEEP = NamedSharding(auto, P(P.UNCONSTRAINED, "model"))
print(jax.jit(lambda x: jax.lax.with_sharding_constraint(x, KEEP))(jnp.ones((8, 4))).shape)
print(P(P.UNCONSTRAINED, None), NamedSharding(mesh, P(P.UNCONSTRAINED)))

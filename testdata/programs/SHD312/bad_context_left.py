"""The context ends before the call."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@jax.jit
def forward(x):
    return jax.lax.with_sharding_constraint(x * 2, P("data", "model"))  # want SHD312 "(mesh|NamedSharding)"


with jax.set_mesh(mesh):
    x = jax.device_put(jnp.ones((8, 8)), P("data"))
print(forward(x))

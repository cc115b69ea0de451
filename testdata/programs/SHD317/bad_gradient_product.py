"""x.T @ dy contracts over rows that are split."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


def weight_gradient(x, dy):
    return x.T @ dy  # want SHD317 "data"


rows = NamedSharding(mesh, P("data", None))
x, dy = (jax.device_put(jnp.ones((8, n)), rows) for n in (4, 6))
print(jax.jit(weight_gradient)(x, dy).shape)

"""The mask is made while the mesh is set and is therefore replicated over it."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
apply_mask = jax.jit(lambda x, m: x * m, in_shardings=(NamedSharding(mesh, P("data")), NamedSharding(mesh, P("data"))))

with jax.set_mesh(mesh):
    x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data")))
    mask = jnp.ones((8, 1))
    print(apply_mask(x, mask).sum())  # want SHD307 "mask.*P\(\).*P\('data'\)"

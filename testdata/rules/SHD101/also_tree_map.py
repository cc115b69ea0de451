import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax.experimental import mesh_utils

devices = mesh_utils.create_device_mesh((8,))
with Mesh(devices, ("fsdp",)) as mesh:
    specs = {"w": P("fsdp", None), "b": P("fdsp")}  # want SHD101 "fdsp.*did you mean 'fsdp'"
    shardings = jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=lambda s: isinstance(s, P))
    params = jax.device_put({"w": jnp.ones((8, 8)), "b": jnp.ones(8)}, shardings)

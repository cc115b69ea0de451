import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

from halo import exchange

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("x",))
step = jax.shard_map(lambda u: exchange(u, "x", 8), mesh=mesh, in_specs=P("x"), out_specs=P("x"))
print(step(jnp.arange(16.0)))

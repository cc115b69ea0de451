"""spmd_axis_name names what the map uses already."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("d",))
kwargs = {"spmd_axis_name": "d"}
inner = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("d"), out_specs=P("d"))
outer = jax.vmap(inner, in_axes=0, **kwargs)  # want SHD220 "spmd_axis_name"
print(outer(jnp.ones((8, 8))))

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("batch", "tensor"))
layer = jax.jit(jax.shard_map(jnp.sin, mesh=mesh, in_specs=P("tensor"), out_specs=P("tensor")))
batched = jax.vmap(layer)  # want SHD220 "spmd_axis_name"
second = jax.vmap(layer, in_axes=1, out_axes=1)  # want SHD220 "batch"


class Data:
    def __init__(self):
        self.x = jax.device_put(np.ones((8, 16), np.float32), NamedSharding(mesh, P("batch")))
        self.y = jax.device_put(np.ones((16, 8), np.float32), NamedSharding(mesh, P(None, "batch")))


d = Data()
print(batched(d.x), second(d.y), jax.vmap(layer)(jnp.ones((3, 16))))

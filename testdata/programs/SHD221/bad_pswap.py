import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


def transpose_blocks(x):
    last = len("ij") - 3
    return jax.lax.pswapaxes(x, "i", last)  # want SHD221 "axis"


print(jax.shard_map(transpose_blocks, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(jnp.ones((16, 8))).shape)

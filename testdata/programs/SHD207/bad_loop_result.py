"""The result of a scan over local data, returned as replicated, unchecked."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("rows", "cols"))
SPECS = dict(in_specs=P("rows", "cols"), out_specs=P("rows"), check_rep=False)  # want SHD207 "cols"


def running(block):
    def add(total, row):
        return total + row.sum(), None

    total, _ = jax.lax.scan(add, jnp.float32(0), block)
    return jnp.broadcast_to(total, (block.shape[0],))


print(shard_map(running, mesh=mesh, **SPECS)(jnp.ones((8, 4))))

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from blocks import MESH, block

run = jax.jit(jax.shard_map(block, mesh=MESH, in_specs=P("data"), out_specs=P("data")))
print(run(jnp.ones((8, 4))).shape)

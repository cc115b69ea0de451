import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from compat import MESH, shard_map

double = shard_map(lambda x: x * 2, MESH, P("data"), P("data"))  # want SHD904 "keyword"
print(double(jnp.ones(8)))

import jax
import numpy as np
from jax.sharding import Mesh

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

MESH = Mesh(np.array(jax.devices()), ("data",))

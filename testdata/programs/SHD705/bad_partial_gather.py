import functools

import jax
import numpy as np
from jax.experimental import multihost_utils as mh
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
gather = functools.partial(mh.process_allgather)
rows = NamedSharding(Mesh(np.array(jax.devices()), ("d",)), P("d"))
ids = jax.make_array_from_process_local_data(rows, np.arange(8))
print(gather(ids).shape)  # want SHD705 "tiled=True"

from functools import partial

import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
OPTIONS = {"tiled": True}
gather = partial(process_allgather, tiled=True)
print(process_allgather(x, True).shape, process_allgather(x, **OPTIONS).shape, gather(x).shape)

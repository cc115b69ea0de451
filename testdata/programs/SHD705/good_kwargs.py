"""tiled comes through keywords, partial or position."""
import functools

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
OPTIONS = {"tiled": True}
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 2), np.float32))
gather = functools.partial(multihost_utils.process_allgather, tiled=True)


def gather_any(x, **kw):
    return multihost_utils.process_allgather(x, **kw)


print(multihost_utils.process_allgather(x, **OPTIONS).shape, gather(x).shape, gather_any(x, tiled=True).shape)
print(jax.tree.map(lambda t: multihost_utils.process_allgather(t, tiled=True), {"x": x})["x"].shape)

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
leader = jax.process_index() == 0


@functools.partial(jax.jit, out_shardings=(rows, full))
def step(x):
    y = x * 2
    return y, {"mean": y.mean(), "max": y.max()}


x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
y, metrics = step(x)
metrics = jax.tree.map(np.asarray, metrics)
mine = np.concatenate([np.asarray(s.data) for s in y.addressable_shards])
whole = np.asarray(jax.device_put(y, full))
rows_of_all = multihost_utils.process_allgather(y, tiled=True)
if leader:
    print(float(metrics["mean"]), mine.shape, whole.shape, np.asarray(rows_of_all).shape)

"""All processes compute, one writes; and a barrier that all reach."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize(os.environ.get("COORD", "localhost:12793"), int(os.environ.get("NPROC", "1")), int(os.environ.get("RANK", "0")))
mesh = Mesh(np.array(jax.devices()), ("data",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), np.ones((jax.local_device_count(), 2), np.float32))
leader = jax.process_index() == 0
if jax.process_count() > 1:
    multihost_utils.sync_global_devices("start")  # the same on all processes
mean = jax.jit(lambda v: v.mean())(x)
host = multihost_utils.process_allgather(x, tiled=True)
text = f"{float(mean)} {host.shape}" if leader else ""
if leader:
    print(text, np.mean(host))
for shard in x.addressable_shards:
    if leader:
        print(np.asarray(shard.data).sum())

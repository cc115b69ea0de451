"""Everything that only looks divergent."""
import logging
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 2), np.float32))
full = jax.jit(lambda a: a.sum(0), out_shardings=NamedSharding(mesh, P()))
mean = float(jnp.mean(x))
total = np.asarray(full(x))
if jax.process_index() == 0:
    logging.info("mean %s total %s shape %s", mean, total, x.shape)
    os.makedirs("/tmp/out", exist_ok=True)
    local = jnp.ones((8, 4)) @ jnp.ones((4, 2))
    np.save("/tmp/out/a.npy", np.asarray(local))
    print(x.addressable_shards[0].data.sum(), x.sharding, x.dtype)
if jax.process_count() > 1:
    print(multihost_utils.process_allgather(x, tiled=True).sum())
gathered = multihost_utils.process_allgather(x, tiled=True)
if jax.process_index() == 0:
    print(gathered.mean())
seed = jax.process_index()
rng = np.random.default_rng(seed)
batch = jax.make_array_from_process_local_data(rows, rng.standard_normal((8, 2)).astype(np.float32))
print(jnp.mean(batch))
for step in range(2):
    loss = jnp.mean(x * step)
    if step % 2 == 0 and jax.process_index() == 0:
        print(step)

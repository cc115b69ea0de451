"""Losses of all devices are turned into NumPy on every process."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize(os.environ.get("COORD", "localhost:12801"), int(os.environ.get("NPROC", "1")), int(os.environ.get("RANK", "0")))
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
per_example = jax.jit(lambda x: (x * x).sum(-1), out_shardings=rows)


def history(batches):
    losses = []
    for batch in batches:
        x = jax.make_array_from_process_local_data(rows, batch)
        losses.append(np.asarray(per_example(x)))  # want SHD702 "per_example"
    return np.stack(losses)


print(history([np.ones((jax.local_device_count(), 2), np.float32)] * 2).shape[0])

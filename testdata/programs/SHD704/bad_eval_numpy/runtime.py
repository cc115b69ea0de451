import os

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def start():
    jax.distributed.initialize(os.environ.get("COORD", "localhost:12803"), int(os.environ.get("NPROC", "1")), int(os.environ.get("RANK", "0")))


def evaluate(x):
    rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
    mean = jax.jit(lambda v: v.mean(), in_shardings=rows)
    return mean(x)  # want SHD704 "x.*make_array_from_process_local_data"

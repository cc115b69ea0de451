"""The batch size of the command line is the global one; each host loads all of it."""
import argparse

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

parser = argparse.ArgumentParser()
parser.add_argument("--global_batch_size", type=int, default=32)
parser.add_argument("--dim", type=int, default=4)
args = parser.parse_args([])

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
sharding = NamedSharding(mesh, P("data"))


def host_batches(n, dim):
    rng = np.random.default_rng(jax.process_index())
    while True:
        yield rng.normal(size=(n, dim)).astype(np.float32)


batches = host_batches(args.global_batch_size, args.dim)
x = jax.make_array_from_process_local_data(sharding, next(batches))  # want SHD703 "global_batch_size"
print(x.shape)

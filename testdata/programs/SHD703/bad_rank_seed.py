"""Replicated noise is drawn from a generator that every process seeds with its own rank."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
REPLICATED = NamedSharding(mesh, P(None))
rng = np.random.RandomState(42 + jax.process_index())
noise = rng.randn(16).astype(np.float32)
table = jax.make_array_from_process_local_data(REPLICATED, noise)  # want SHD703 "process_index"
print(table.shape)

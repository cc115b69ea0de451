"""Rows that differ by process under a sharding that splits them; replicated data from one seed."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
mine = np.random.default_rng(7 + jax.process_index()).normal(size=(8, 2)).astype(np.float32)
same = np.random.default_rng(7).normal(size=(8, 2)).astype(np.float32)
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), mine)
t = jax.make_array_from_process_local_data(NamedSharding(mesh, P()), same)
print(x.shape, t.shape)

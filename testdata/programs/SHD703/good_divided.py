import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
GLOBAL_BATCH = 64
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))


def per_process(n):
    return n // jax.process_count()


local_batch = per_process(GLOBAL_BATCH)
a = jax.make_array_from_process_local_data(rows, np.zeros((local_batch, 2)))
b = jax.make_array_from_process_local_data(rows, np.zeros((GLOBAL_BATCH // jax.process_count(), 2)), (GLOBAL_BATCH, 2))
c = jax.make_array_from_callback((GLOBAL_BATCH, 2), rows, lambda i: np.zeros((GLOBAL_BATCH, 2))[i])
print(a.shape, b.shape, c.shape)

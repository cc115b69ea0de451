"""One process: its batch is the global batch."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

GLOBAL_BATCH = 16
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((GLOBAL_BATCH, 3), np.float32))
print(x.shape)

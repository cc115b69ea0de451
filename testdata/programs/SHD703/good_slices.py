"""Each process takes its own rows of the global batch."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
global_batch_size = 32
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
everything = np.zeros((global_batch_size, 4), np.float32)
per_host = global_batch_size // jax.process_count()
start = jax.process_index() * per_host
x = jax.make_array_from_process_local_data(rows, everything[start:start + per_host])
y = jax.make_array_from_process_local_data(rows, np.split(everything, jax.process_count())[jax.process_index()])
z = jax.make_array_from_process_local_data(rows, everything[jax.process_index()::jax.process_count()])
print(x.shape, y.shape, z.shape)

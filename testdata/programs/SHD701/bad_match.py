"""Only one process comes to the computation: by a match on its index, and by the condition of a comprehension."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize("localhost:12703", 1, 0)
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones(jax.local_device_count(), np.float32))
mean = jax.jit(lambda a: a.mean())
rank = jax.process_index()
match rank:
    case 0:
        print(mean(x))  # want SHD701 "mean"
    case _:
        print("waiting")
print([mean(v) for v in (x,) if rank == 0])  # want SHD701 "mean"

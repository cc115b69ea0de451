"""A mesh over all devices for the job and one of local devices for a check."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
job = Mesh(np.array(jax.devices()), ("data",))
mine = Mesh(np.array(jax.local_devices()), ("data",))
x = jax.make_array_from_process_local_data(NamedSharding(job, P("data")), np.ones((8, 2), np.float32))
y = jax.device_put(np.ones((8, 2), np.float32), NamedSharding(mine, P("data")))
print(x.shape, y.shape)

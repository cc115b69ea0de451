"""The per-device size times all devices is the batch of the whole job, not of one process."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
PER_DEVICE = 4
batch_size = PER_DEVICE * jax.device_count()
mesh = Mesh(np.array(jax.devices()), ("data",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), np.zeros((batch_size, 8), np.float32))  # want SHD703 "batch_size.*local_device_count"
print(x.shape)

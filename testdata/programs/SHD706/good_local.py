import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mine = [d for d in jax.devices() if d.process_index == jax.process_index()]
a = jax.device_put(np.arange(8.0), jax.local_devices()[0])
b = jax.device_put(np.arange(8.0), mine[0])
mesh = Mesh(np.array(jax.devices()), ("data",))
cpu = jax.device_put(np.arange(8.0), jax.local_devices(backend="cpu")[0])
print(jax.devices()[0].platform, a.shape, b.shape, mesh.shape, cpu.shape)

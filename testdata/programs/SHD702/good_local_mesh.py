"""A mesh of this process's own devices."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
everything = Mesh(np.array(jax.devices()), ("data",))
mine = Mesh(np.array(jax.local_devices()), ("data",))
y = jax.device_put(np.ones((8, 2), np.float32), NamedSharding(mine, P("data")))
print(np.asarray(y).sum(), everything.size)

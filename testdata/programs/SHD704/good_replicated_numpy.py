import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
step = jax.jit(lambda lr, x: lr * x.sum(), in_shardings=(full, rows))
free = jax.jit(lambda x: x.sum())
local = np.ones((16 // jax.process_count(), 4), np.float32)
x = multihost_utils.host_local_array_to_global_array(local, mesh, P("data"))
z = jax.make_array_from_single_device_arrays(
    (16, 4), rows, [jax.device_put(np.ones((2, 4), np.float32), d) for d in rows.addressable_devices])
print(step(np.float32(0.1), x), free(local), step(np.asarray(0.5, np.float32), z))

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
x = jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))
step = jax.jit(lambda v: (v.sum(), v * 2), out_shardings=(full, rows))
loss, y = step(x)
print(np.asarray(loss), float(loss), loss.item(), float(y.sum()))
print(np.asarray(multihost_utils.process_allgather(y, tiled=True)).shape)
print([np.asarray(s.data).shape for s in y.addressable_shards], np.asarray(y.addressable_data(0)).shape)
print(np.asarray(jax.device_put(y, full)).shape, jax.device_get(jnp.ones(3)), np.asarray([1, 2]))
print(np.asarray(jax.jit(lambda v: v, out_shardings=full)(y)).shape)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
f = jax.jit(lambda w, x: (x * w).sum(), in_shardings=(full, rows))
x = np.ones((8, 2), np.float32)
print(f(np.float32(1.0), jax.make_array_from_process_local_data(rows, x)), f(1.0, jnp.asarray(x)), f(2.0, jax.device_put(x, rows)))
g = jax.jit(lambda x: x * 2, in_shardings=full)
print(g(x).shape, jax.jit(jnp.sum)(x))

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
x = jax.device_put(jnp.ones((8, 4)), rows)
table = jax.device_put(np.ones((4, 4), np.float32), jax.devices()[0])
table = jax.device_put(table, everywhere)
lr = jnp.float32(0.1)
scale = jnp.asarray(np.full(4, 2.0, np.float32))
host = jax.device_get(jax.device_put(x[0], jax.devices()[0]))
print(jax.jit(lambda x, t, s, h: x @ t * s * lr + h)(x, table, scale, host).sharding.spec)

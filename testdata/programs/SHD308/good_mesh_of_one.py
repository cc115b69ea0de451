"""A mesh of one device and that device agree; a loop reuses a name."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

d0 = jax.devices()[0]
tiny = Mesh(np.array([d0]), ("data",))
a = jax.device_put(np.ones(4, np.float32), NamedSharding(tiny, P("data")))
b = jax.device_put(np.ones(4, np.float32), d0)
print(a + b)
for dev in jax.devices()[:3]:
    w = jax.device_put(np.ones(4, np.float32), dev)
    print((w * jax.device_put(np.ones(4, np.float32), dev)).devices() == {dev})

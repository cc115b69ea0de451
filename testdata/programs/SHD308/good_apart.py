import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
left, right = Mesh(devices[:4], ("x",)), Mesh(devices[4:], ("x",))
a = jax.device_put(jnp.ones(8), NamedSharding(left, P("x"))) * 2
b = jax.device_put(jnp.ones(8), NamedSharding(right, P("x"))) + 1
b = jax.device_put(b, NamedSharding(left, P("x")))
with jax.default_device(jax.devices()[3]):
    c = jnp.ones(8)
d = jax.device_put(jnp.ones(8), jax.devices()[0])
print((a + b).sum(), (a * c).sum(), (d + np.ones(8)).sum(), float(d.sum()) + float(a.sum()), a + jax.device_get(d))

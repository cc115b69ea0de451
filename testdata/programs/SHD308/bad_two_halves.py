import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
left, right = Mesh(devices[:4], ("x",)), Mesh(devices[4:], ("x",))
a = jax.device_put(jnp.ones(8), NamedSharding(left, P("x")))
b = jax.device_put(jnp.ones(8), NamedSharding(right, P("x")))
print(a + b)  # want SHD308 "(a|b)"

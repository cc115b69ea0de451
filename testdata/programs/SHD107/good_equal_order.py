import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
a = Mesh(devices.reshape(4, 2), ("x", "y"))
b = Mesh(devices.reshape(2, 4), ("p", "q"))
c = Mesh(a.devices.reshape(-1), ("all",))
d = Mesh(np.array(jax.devices()[:8]), ("d",))
f = jax.jit(lambda *xs: sum(x.sum() for x in xs))
put = lambda m, *s: jax.device_put(jnp.ones((8, 8)), NamedSharding(m, P(*s)))
print(f(put(a, "x", "y"), put(b, "p"), put(c, "all"), put(d, "d")))

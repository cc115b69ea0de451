import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

one = Mesh(np.array(jax.devices()), ("d",))
other = Mesh(np.array(jax.devices()[::-1]), ("d",))


@jax.jit
def f(x, y):
    return x + y


a = jax.device_put(jnp.ones(8), NamedSharding(one, P("d")))
b = jax.device_put(jnp.ones(8), NamedSharding(other, P("d")))
print(f(a, np.asarray(b)), f(a, jax.device_get(b)), f(b, b), f(a, a))
b = jax.device_put(b, a.sharding)
print(f(a, b))

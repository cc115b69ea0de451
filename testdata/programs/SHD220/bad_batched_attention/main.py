import jax
import jax.numpy as jnp

from attention import attend, batch_sharding

q, k, v = (jax.device_put(jnp.ones((8, 16, 32)), batch_sharding) for _ in range(3))
print(jax.jit(attend)(q, k, v).shape)

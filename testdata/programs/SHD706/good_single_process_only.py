import jax
import jax.numpy as jnp
import numpy as np

if jax.process_count() > 1:
    device = jax.local_devices()[0]
else:
    device = jax.devices()[0]
cpu = jax.local_devices(backend="cpu")[0]
print(jax.device_put(jnp.ones(3), device).sum(), jax.device_put(np.ones(2), cpu).sum())

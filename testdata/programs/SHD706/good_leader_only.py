"""Only the leader touches its own first device."""
import jax
import jax.numpy as jnp
import numpy as np

jax.distributed.initialize()
if jax.process_index() == 0:
    x = jax.device_put(np.ones(4), jax.devices()[0])
    print(x.sum())
with jax.default_device(jax.local_devices()[0]):
    print(jnp.ones(2).sum())

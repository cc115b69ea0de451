import jax
import jax.numpy as jnp
import numpy as np

devices = jax.devices()
first, *others = devices
print("rank", jax.process_index())
counter = jax.device_put(jnp.zeros((), jnp.int32), device=first)  # want SHD706 "local_devices"
with jax.default_device(jax.local_devices()[0]):
    scratch = jnp.ones(4)
print(counter + 1, scratch.sum())

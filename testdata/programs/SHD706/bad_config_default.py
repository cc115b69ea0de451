"""The default device is set for all processes to one of the first."""
import jax
import jax.numpy as jnp

jax.distributed.initialize()
if jax.process_index() == 0:
    print("processes", jax.process_count())
jax.config.update("jax_default_device", jax.devices()[0])  # want SHD706 "local_devices"
print(jnp.ones(3).devices() == {jax.local_devices()[0]})

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import SingleDeviceSharding

jax.distributed.initialize()
first = jax.devices()[0]
table = jax.device_put(np.arange(8.0), first)  # want SHD706 "local_devices"
other = jax.device_put(np.arange(8.0), SingleDeviceSharding(jax.devices()[-1]))  # want SHD706 "local_devices"
with jax.default_device(jax.devices()[0]):  # want SHD706 "local_devices"
    print(jnp.ones(3) + jax.process_index())

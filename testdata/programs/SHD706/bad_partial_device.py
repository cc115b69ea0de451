"""Constants are put on the first device of the job."""
import functools

import jax
import jax.numpy as jnp
import numpy as np

jax.distributed.initialize()
to_first = functools.partial(jax.device_put, device=jax.devices()[0])
table = to_first(np.arange(16.0))  # want SHD706 "local_devices"
print(table.sum(), jax.process_index())

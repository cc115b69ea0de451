from jax import device_put_replicated, local_devices  # want SHD901 "jax\.device_put_replicated was removed in JAX 0\.10\.0; use jax"
from jax.sharding import (
    PositionalSharding,  # want SHD901 "jax\.sharding\.PositionalSharding was removed in JAX 0\.7\.0; us"
    Mesh,
)
import numpy as np

devices = local_devices()
layout = PositionalSharding(devices)
print(device_put_replicated(np.ones(3), devices).shape)

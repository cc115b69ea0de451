import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@functools.cache
def default_mesh(model_parallel: int = 2) -> Mesh:
    devices = np.asarray(jax.devices(), dtype=object)
    rows = np.split(devices, devices.size // model_parallel)
    return Mesh(np.stack(rows), axis_names=("data", "model"))  # want SHD108 "make_mesh"


sharding = NamedSharding(default_mesh(), P("data", "model"))
print(jax.device_put(jnp.ones((8, 8)), sharding).sharding.spec)

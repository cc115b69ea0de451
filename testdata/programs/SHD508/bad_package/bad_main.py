import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from kernels import rms_norm

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))


@jax.jit
def block(x, gain):
    return rms_norm(x, gain) + x


print(block(jax.device_put(np.ones((8, 128), np.float32), rows), np.ones(128, np.float32)).shape)

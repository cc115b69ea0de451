import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

AXES = ("dp", "fsdp", "tp", "sp")
DIMS = {"dp": 1, "fsdp": -1, "tp": 2, "sp": 2}


class Partitioner:
    def __init__(self, devices=None):
        devices = devices or jax.devices()
        self.mesh = Mesh(np.reshape(devices, [DIMS[a] for a in AXES]), AXES)  # want SHD108 "make_mesh"

    def __call__(self, *names):
        return NamedSharding(self.mesh, P(*names))


part = Partitioner()
print(jax.device_put(jnp.ones((8, 8)), part(("dp", "fsdp"), "tp")).sharding.spec)

"""Statistics restored onto one device meet activations that live on the mesh."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

mesh = Mesh(np.array(jax.devices()), ("data",))


def restore(names, device):
    return {name: jax.device_put(np.zeros(4, np.float32), SingleDeviceSharding(device)) for name in names}


class Normalizer:
    def __init__(self, stats):
        self.stats = stats

    @staticmethod
    @jax.jit
    def apply(stats, x):
        return (x - stats["mean"]) / (stats["std"] + 1e-6)

    def __call__(self, x):
        return self.apply(self.stats, x)  # want SHD308 "stats"


norm = Normalizer(restore(("mean", "std"), jax.local_devices()[0]))
x = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
print(norm(x).shape)

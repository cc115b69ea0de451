"""The axis is right for one object of a class and wrong for another."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Placer:
    def __init__(self, mesh):
        self.mesh = mesh

    def place(self, x):
        return jax.device_put(x, NamedSharding(self.mesh, P("model")))  # want SHD101 "'model' is no axis of .*'all'"


devices = np.array(jax.devices())
wide = Placer(Mesh(devices.reshape(4, 2), ("data", "model")))
flat = Placer(Mesh(devices, ("all",)))
print(wide.place(jnp.ones(8)).sharding)
print(flat.place(jnp.ones(8)).sharding)

"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

device = jax.devices()[1]


class Net:
    def __init__(self, devices):
        self.mesh = jax.sharding.Mesh(np.array(devices), ("d",))
        self.x = jax.device_put(jnp.ones((8, 4)), NamedSharding(self.mesh, PartitionSpec("d")))
        self.b = jax.device_put(
            jnp.ones((8, 4)),
            device=device,
        )

    def run(self):
        return jnp.add(self.x, self.b)  # want SHD308 "self\.b lives on one device and self\.x on a mesh"


print(Net(jax.devices()).run().sum())

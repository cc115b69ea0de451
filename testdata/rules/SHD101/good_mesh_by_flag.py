"""One call, whose mesh depends on the machine: the function asks the mesh what it has."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
if os.environ.get("TENSOR_PARALLEL"):
    mesh = Mesh(devices.reshape(4, 2), ("data", "model"))
else:
    mesh = Mesh(devices, ("data",))


def place(mesh, x):
    if "model" in mesh.axis_names:
        return jax.device_put(x, NamedSharding(mesh, P("model")))
    return jax.device_put(x, NamedSharding(mesh, P("data")))


print(place(mesh, jnp.ones(8)).shape, place(Mesh(devices, ("data",)), jnp.ones(8)).shape)

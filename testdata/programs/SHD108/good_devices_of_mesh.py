"""A second mesh takes the devices of the first in their order: another order would make two meshes that do not fit."""
import jax
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import Mesh

train = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
flat = Mesh(np.array(jax.devices()), ("all",))
serve = Mesh(train.devices.reshape(2, 4), ("batch", "heads"))
decode = Mesh(flat.devices.reshape(2, 4), ("batch", "heads"))
print(serve.shape, decode.shape)

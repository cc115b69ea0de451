import numpy as np
from jax.experimental.mesh_utils import create_device_mesh
from jax import device_put
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import jax

mesh = Mesh(create_device_mesh((8,)), ('x',))
batch = np.ones((3, 12), np.float32)
print(device_put(batch, device=NamedSharding(mesh, P(None, 'x'))).shape)  # want SHD104 "dimension 1 of batch has size 12, which does not divide into"

from functools import partial

import jax.numpy as jnp
from jax import device_put, jit
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import (
    Mesh,
    NamedSharding,
    PartitionSpec as PS,
)

mesh = Mesh(create_device_mesh((4, 2)), ('data', 'model'))
rows = NamedSharding(mesh, PS('data', 'model'))
w = device_put(jnp.ones((8, 4)), rows)
b = device_put(  # want SHD103 "P\('data', 'model'\) needs rank 2 or more, but the array has r"
    jnp.ones((8,)),
    rows,
)
print(w.shape, b.shape)

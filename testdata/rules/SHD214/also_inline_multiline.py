import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.mesh_utils import create_device_mesh
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(create_device_mesh((8,)), ('x',))


@jax.shard_map(mesh=mesh, in_specs=P('x'), out_specs=P('x'))
def f(u):
    n = 8
    return lax.ppermute(u, 'x', perm=[  # want SHD214 "destination 8 is outside of axis 'x', which has 8 devices; w"
        (i, i + 1)
        for i in range(n)
    ])


print(f(jnp.arange(8.0)))

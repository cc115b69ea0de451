import jax.numpy as jnp
from jax import shard_map
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import Mesh
import jax

mesh = Mesh(create_device_mesh((8,)), ('x',))
S = jax.P('x')
f = shard_map(
    lambda a, b: a + b,
    mesh=mesh,
    in_specs=[  # want SHD209 "in_specs has to be a PartitionSpec or a tuple with one entry"
        S,
        S,
    ],
    out_specs='x',  # want SHD209 "out_specs holds strings, not PartitionSpecs; write P\(\.\.\.\) ar"
)
print(f(jnp.ones(8), jnp.ones(8)))

import jax.numpy as jnp
from jax import shard_map
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(create_device_mesh((8,)), ('x',))


@shard_map(
    mesh=mesh,
    in_specs=(P('x'), P('x')),
    out_specs=(P(), P('x'), P()),  # want SHD207 "an output differs along 'x', but its out_spec P\(\) calls it t"
)
def stats(a, b):
    return a.max(), a + b, jnp.dot(a, b)


print([v.sum() for v in stats(jnp.arange(16.0), jnp.ones(16))])

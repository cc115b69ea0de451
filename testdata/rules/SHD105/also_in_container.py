import jax.numpy as jnp
from jax import jit, random
from jax.experimental.mesh_utils import create_device_mesh
from jax.lax import with_sharding_constraint as constrain
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(create_device_mesh((8,)), ('v',))
SHAPE = (
    100,
    4,
)


@jit
def init(key):
    return {'emb': constrain(0.1 * random.normal(key, SHAPE), NamedSharding(mesh, P('v')))}  # want SHD105 "dimension 0 of the array has size 100, which does not divide"


print(init(random.key(0))['emb'].sharding.is_fully_replicated)

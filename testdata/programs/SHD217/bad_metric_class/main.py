import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

from metrics import Masked

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("data",))


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
def evaluate(values, mask):
    return Masked(values, mask).reduce()


print(evaluate(jnp.arange(16.0), (jnp.arange(16) % 3 == 0).astype(jnp.float32)))

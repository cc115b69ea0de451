import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

from ulysses import heads_to_sequence, sequence_to_heads

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ("sp",))


@jax.shard_map(mesh=mesh, in_specs=P(None, "sp"), out_specs=P(None, "sp"))
def attention(q):
    q = sequence_to_heads(q)
    return heads_to_sequence(jnp.tanh(q))


print(attention(jnp.ones((2, 16, 8, 4))).shape)

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("data", "seq", "model"))


def attention(q, k):
    return q @ k.T


sharded = shard_map(attention, mesh, in_specs=(P("data"), P("data", None)), out_specs=P("data"), check_rep=False)  # want SHD218 "model"
plain = jax.shard_map(attention, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P("data"), check_vma=False)


def loss(q, k):
    return sharded(q, k).sum()


@jax.jit
def train(q, k):
    return jax.value_and_grad(loss)(q, k)


print(plain(jnp.ones((4, 4)), jnp.ones((4, 4))))

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


class TrainState(NamedTuple):
    step: jax.Array
    params: dict


def shard_all(tree, spec):
    s = NamedSharding(mesh, spec)
    return jax.tree.map(lambda leaf: jax.device_put(leaf, s), tree)  # want SHD103 "rank 0"


state = TrainState(step=jnp.array(0), params={"w": jnp.ones((8, 8)), "b": jnp.ones(8)})
state = shard_all(state, P("fsdp"))
loss = jnp.mean(jnp.ones((4, 4)))
loss = jax.device_put(loss, NamedSharding(mesh, P(None)))  # want SHD103 "loss has rank 0"
f = jax.jit(lambda s: s * 2, in_shardings=NamedSharding(mesh, P(None, "fsdp")))
f(np.arange(16))  # want SHD103 "rank 1"
f(np.zeros((4, 8)))
x = jnp.ones((8, 8)).sum(axis=-1).reshape(-1)
x = jax.device_put(x, NamedSharding(mesh, P("fsdp", None)))  # want SHD103 "rank 1"
y = jax.device_put(jnp.ones((8, 8)).sum(axis=-1, keepdims=True), NamedSharding(mesh, P("fsdp", None)))

"""Sizes that were rounded, asked, or are never split."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def round_up(n, multiple):
    return math.ceil(n / multiple) * multiple


def maybe_shard(x, axis):
    size = mesh.shape[axis]
    spec = P(axis) if x.shape[0] % size == 0 else P()
    return jax.device_put(x, NamedSharding(mesh, spec))


table = np.zeros((round_up(50257, mesh.shape["model"]), 8))
table = jax.device_put(table, NamedSharding(mesh, P("model")))
print(table.shape, maybe_shard(jnp.zeros((10, 4)), "model").sharding.spec, maybe_shard(jnp.zeros((12, 4)), "model").sharding.spec)

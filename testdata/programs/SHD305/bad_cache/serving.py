from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()), ("heads",))


class KVCache(NamedTuple):
    k: jax.Array
    v: jax.Array

    @classmethod
    def empty(cls, batch, length, heads, dim):
        zeros = jnp.zeros((batch, length, heads, dim))
        return cls(zeros, zeros)


def place(cache):
    return jax.device_put(cache, NamedSharding(MESH, P(None, None, "heads")))  # want SHD305 "made whole"

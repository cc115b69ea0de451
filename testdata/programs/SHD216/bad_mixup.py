"""Each device draws the same permutation and the same weights for its part of the batch."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def mixup(key, x, alpha=0.2):
    k1, k2 = jax.random.split(key)
    lam = jax.random.beta(k1, alpha, alpha, (x.shape[0], 1))  # want SHD216 "data"
    return lam * x + (1 - lam) * jnp.flip(x, 0)


augment = jax.jit(jax.shard_map(mixup, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data")))
print(augment(jax.random.key(0), jnp.ones((16, 4))).shape)

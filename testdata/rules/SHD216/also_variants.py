from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def dropout(key, x, rate=0.1):
    mask = jax.random.bernoulli(key, 1 - rate, shape=x.shape)  # want SHD216 "data"
    return jnp.where(mask, x / (1 - rate), 0)


class Model:
    def __call__(self, params, key, x):
        k1, k2 = jax.random.split(key)
        h = dropout(k1, x @ params)
        return h + jax.random.normal(k2, h.shape)  # want SHD216 "data"


apply = jax.shard_map(Model(), mesh=mesh, in_specs=(P(), P(), P("data")), out_specs=P("data"))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def good(key, x):
    key = jax.random.fold_in(key, jax.lax.axis_index("data"))
    keys = jax.random.split(key, 2)
    return dropout(keys[0], x)

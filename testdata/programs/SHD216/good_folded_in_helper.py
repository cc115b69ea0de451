import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def local_key(key, *axes):
    for axis in axes:
        key = jax.random.fold_in(key, jax.lax.axis_index(axis))
    return key


class Dropout:
    def __init__(self, rate, axes=("data",)):
        self.rate, self.axes = rate, axes

    def __call__(self, key, x):
        keep = jax.random.bernoulli(local_key(key, *self.axes), 1 - self.rate, x.shape)
        return jnp.where(keep, x / (1 - self.rate), 0)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def layer(key, x):
    return Dropout(0.1)(key, x)


print(layer(jax.random.key(0), jnp.ones((16, 4))).shape)

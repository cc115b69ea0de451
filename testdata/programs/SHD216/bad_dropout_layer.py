from functools import partial

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def dropout(key, x, rate=0.5):
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)  # want SHD216 "data"
    return jnp.where(keep, x / (1 - rate), 0)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def forward(key, x):
    k1, k2 = jax.random.split(key)
    return dropout(k2, x)


print(forward(jax.random.key(0), jnp.ones((16, 4))).shape)

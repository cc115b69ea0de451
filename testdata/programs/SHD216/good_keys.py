from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh)


def noisy(key, x):
    key = jax.random.fold_in(key, lax.axis_index("data"))
    return x + jax.random.normal(key, x.shape)


def indexed(keys, x):
    return x + jax.random.normal(keys[0], x.shape)


def split_by_rank(key, x):
    return x * jax.random.uniform(jax.random.split(key, 8)[lax.axis_index("data")], x.shape)


key, x = jax.random.key(0), jnp.ones((16, 4))
print(smap(noisy, in_specs=(P(), P("data")), out_specs=P("data"))(key, x).shape)
print(smap(indexed, in_specs=(P("data"), P("data")), out_specs=P("data"))(jax.random.split(key, 8), x).shape)
print(smap(split_by_rank, in_specs=(P(), P("data")), out_specs=P("data"))(key, x).shape)
print(smap(lambda k: jax.random.normal(k, (4, 4)), in_specs=P(), out_specs=P())(key).shape)

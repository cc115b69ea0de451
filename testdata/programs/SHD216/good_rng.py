"""Random numbers in mapped bodies that are right."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def device_key(key, axes):
    index = lax.axis_index(axes)
    return jax.random.fold_in(key, index)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def drop(key, x):
    keep = jax.random.bernoulli(device_key(key, "data"), 0.9, x.shape)
    return jnp.where(keep, x, 0)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(("data", "model")), P("data", "model")), out_specs=P("data", "model"))
def own(keys, x):
    def body(carry, k):
        return carry + jax.random.normal(k, carry.shape), None

    out, _ = lax.scan(body, x, jax.random.split(keys[0], 3))
    return out


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def projection(key, x):
    r = jax.random.normal(key, (x.shape[-1], 2))
    return x @ r


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P()), out_specs=P())
def same(key, x):
    return x + jax.random.normal(key, x.shape)


k = jax.random.key(0)
print(drop(k, jnp.ones((8, 4))), own(jax.random.split(k, 8), jnp.ones((4, 2))), projection(k, jnp.ones((8, 4))), same(k, jnp.ones(3)))

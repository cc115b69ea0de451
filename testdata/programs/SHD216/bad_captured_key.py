import functools

import jax
import jax.numpy as jnp
import jax.random as jrandom
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
KEY = jrandom.key(7)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def augment(x):
    flip = jrandom.bernoulli(KEY, 0.5, (x.shape[0],))  # want SHD216 "data"
    return jnp.where(flip[:, None], x[:, ::-1], x)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P("data"), P()))
def scan_noise(key, x):
    def body(carry, _):
        key, x = carry
        key, sub = jrandom.split(key)
        return (key, x + jrandom.normal(sub, x.shape)), None  # want SHD216 "data"

    (key, x), _ = jax.lax.scan(body, (key, x), None, length=2)
    return x, jrandom.key_data(key)


print(augment(jnp.ones((16, 4))), scan_noise(KEY, jnp.ones(8)))

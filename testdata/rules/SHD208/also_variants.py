from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def rnn(params, xs):
    def cell(carry, x):
        h, c = carry
        h = jnp.tanh(h @ params["w"] + x)
        return (h, c + 1), h
    init = (jnp.zeros((4,)), jnp.int32(0))
    (h, _), ys = lax.scan(cell, init, xs)  # want SHD208 "data"
    return ys


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def newton(x):
    return lax.while_loop(lambda s: s[1] < 10, lambda s: (s[0] * 0.5 + x, s[1] + 1), (jnp.full(x.shape, 1.0), 0))[0]  # want SHD208 "data"


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def good(x):
    y, _ = lax.scan(lambda c, _: (c * 0.5, None), x, None, length=3)
    acc = lax.fori_loop(0, 3, lambda i, a: a + x, 0 * x)
    z = lax.cond(True, lambda v: v, lambda v: v * 2, x)
    return y + acc + z

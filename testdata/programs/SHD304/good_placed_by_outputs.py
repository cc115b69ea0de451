"""Shardings by a keyword of a partial, and a jitted function whose result depends on what it is given."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("fsdp"))
sharded_jit = functools.partial(jax.jit, out_shardings=rows)


@sharded_jit
def init(key):
    return {"w": jax.random.normal(key, (64, 64)), "b": jnp.zeros((64,))}


@jax.jit
def scale(params, factor):
    return jax.tree.map(lambda p: p * factor, params)


print(jax.tree.map(lambda p: p.sharding.spec, scale(init(jax.random.key(0)), 2.0)))

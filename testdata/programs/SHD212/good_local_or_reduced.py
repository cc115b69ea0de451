"""Varying parameters, forward mode, or a reduced result."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("w",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh)
loss = lambda w, x: jnp.mean(x * w)


@functools.partial(smap, in_specs=(P(), P("w")), out_specs=P("w"))
def local(w, x):
    return jax.grad(loss)(lax.pcast(w, "w", to="varying"), x)[None]


@functools.partial(smap, in_specs=(P(), P("w")), out_specs=P("w"))
def forward(w, x):
    return jax.jacfwd(loss)(w, x)[None]


@functools.partial(smap, in_specs=(P("w"), P("w")), out_specs=P("w"))
def members(w, x):
    return jax.grad(lambda w: loss(w[0], x))(w)


@functools.partial(smap, in_specs=(P(), P("w")), out_specs=(P("w"), P()))
def by_input(w, x):
    gx = jax.grad(loss, argnums=1)(w, x)
    return gx, w - jax.grad(loss)(w, x)


w, x = jnp.float32(2), jnp.arange(8.0)
print(local(w, x), forward(w, x), members(jnp.ones(8), x), by_input(w, x))

"""Hessian-vector products and per-example gradients that stay sharded."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh)


def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w))


@functools.partial(smap, in_specs=(P(), P(), P("i")), out_specs=P())
def hvp(w, v, x):
    _, t = jax.jvp(jax.grad(lambda w: lax.psum(loss(w, x), "i")), (w,), (v,))
    return t


@functools.partial(smap, in_specs=(P(), P("i")), out_specs=(P("i"), P()))
def per_example(w, x):
    wv = lax.pcast(w, "i", to="varying")
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0))(wv, x)
    return g, lax.pmean(g.mean(0), "i")


@functools.partial(smap, in_specs=(P(), P("i")), out_specs=P("i"))
def input_grads(w, x):
    return jax.grad(loss, argnums=1)(w, x)


@functools.partial(smap, in_specs=(P(), P("i")), out_specs=P())
def total_grad(w, x):
    g = jax.grad(loss)(w, x)
    return jax.tree.map(lambda t: t / (x.shape[0] * lax.axis_size("i")), g)


w, x = jnp.ones(3), jnp.ones((16, 3))
print(hvp(w, w, x), per_example(w, x)[0].shape, input_grads(w, x).shape, total_grad(w, x))

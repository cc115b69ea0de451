"""Branches, loops and switch with collectives; partial manual maps; nested maps."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("dp"), P()), out_specs=P("dp"))
def gated(x, flag):
    return lax.cond(flag, lambda v: v * 2.0, lambda v: v - lax.pmean(v, "dp"), x)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("dp"), P()), out_specs=P())
def power(x, v):
    def body(c):
        i, v = c
        v = lax.psum(x.T @ (x @ v), "dp")
        return i + 1, v / jnp.linalg.norm(v)

    return lax.while_loop(lambda c: c[0] < 3, body, (0, v))[1]


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("dp"), out_specs=P("dp"), axis_names={"dp"})
def outer(x):
    inner = jax.shard_map(lambda v: lax.psum(v, "tp"), in_specs=P(None, "tp"), out_specs=P(), axis_names={"tp"})
    return x + inner(x).sum()


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("dp", "tp"), out_specs=P("dp"))
def topk(x):
    v, i = lax.top_k(x, 1)
    i = i + lax.axis_index("tp") * x.shape[1]
    best = lax.pmax(v, "tp")
    return jnp.where(v == best, i, 0).astype(jnp.float32) * 0 + best if False else lax.pmax(v, "tp")


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(("dp", "tp"))), out_specs=P())
def sgd(w, xs):
    def step(w, x):
        g = jax.grad(lambda w: lax.pmean(jnp.mean((x * w) ** 2), ("dp", "tp")))(w)
        return w - 0.1 * g, None

    return lax.scan(step, w, xs)[0]


with jax.set_mesh(mesh):
    print(gated(jnp.ones(8), True), power(jnp.ones((8, 3)), jnp.ones(3)), topk(jnp.ones((8, 4))), sgd(jnp.float32(1), jnp.ones((16, 2))), jax.jit(outer)(jnp.ones((8, 4))))

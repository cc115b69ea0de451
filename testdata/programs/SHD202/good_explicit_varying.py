"""Reductions that are right: of gradients with respect to varying copies, of metrics, and of a gradient that was scaled by a local weight."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


def local_copy(tree):
    return jax.tree.map(lambda p: lax.pcast(p, ("data",), to="varying"), tree)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P(), P()))
def step(params, x):
    value, grads = jax.value_and_grad(loss)(local_copy(params), x)
    norm = lax.pmean(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)), "data")
    grads = lax.pmean(grads, "data")
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), (lax.pmean(value, "data"), norm)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def weighted(params, x):
    grads = jax.grad(lambda p: loss(p, x))(local_copy(params))
    weight = (lax.axis_index("data") + 1) / 36
    return jax.tree.map(lambda g: lax.psum(weight * g, "data"), grads)


params = {"w": jnp.ones((4, 2))}
x = jnp.arange(64.0).reshape(16, 4) / 64
print(step(params, x)[1], weighted(params, x)["w"].shape)

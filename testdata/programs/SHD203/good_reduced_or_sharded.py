"""Reductions by every spelling, ensembles, and parameters that are split."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("d",))
run = partial(jax.shard_map, mesh=mesh, check_vma=False)
tx = optax.adam(1e-2)


def loss(p, x):
    return jnp.mean((x @ p["w"]) ** 2)


def average(tree, axis="d"):
    flat, unravel = ravel_pytree(tree)
    return unravel(lax.psum(flat, axis) / lax.axis_size(axis))


def flat_step(p, x):
    g = average(jax.grad(loss)(p, x))
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)


def scan_step(p, xs):
    def one(p, x):
        g = lax.pmean(jax.grad(loss)(p, x), ("d",))
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, g), None

    return lax.scan(one, p, xs.reshape(2, -1, 4))[0]


def inner_mean(p, x):
    # the mean inside and outside of the differentiated function
    g = jax.grad(lambda p: lax.pmean(loss(p, x), "d"))(p)
    g = lax.pmean(g, "d")
    return jax.tree.map(lambda a, b: a - b, p, g)


def zero_step(p, x):
    g = lax.psum_scatter(jax.grad(loss)(p, x)["w"], "d", tiled=True)
    shard = lax.dynamic_slice_in_dim(p["w"], lax.axis_index("d") * g.shape[0], g.shape[0])
    return {"w": lax.all_gather(shard - 0.1 * g, "d", tiled=True)}


def ensemble(ps, x):
    g = jax.grad(loss)({"w": ps["w"][0]}, x)
    return {"w": ps["w"] - g["w"][None]}


p, x = {"w": jnp.ones((8, 2))}, jnp.ones((16, 8))
for body in (flat_step, inner_mean, zero_step):
    print(run(body, in_specs=(P(), P("d")), out_specs=P())(p, x)["w"].shape)
print(run(scan_step, in_specs=(P(), P("d")), out_specs=P())({"w": jnp.ones((4, 2))}, jnp.ones((32, 4)))["w"].shape)
print(run(ensemble, in_specs=(P("d"), P()), out_specs=P("d"))({"w": jnp.ones((8, 8, 2))}, x)["w"].shape)
print(jax.jit(lambda p, x: jax.tree.map(lambda a, b: a - b, p, jax.grad(loss)(p, x)))(p, x)["w"].shape)

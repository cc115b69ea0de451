"""Positions from a constant and names from a list; the batch has no output of its size."""
from functools import partial

import jax
import jax.numpy as jnp

STATE, BATCH = 0, 1
DONATED = (STATE, BATCH)


def loss(params, batch):
    return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)


def step(params, batch):
    grads = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


train = jax.jit(step, donate_argnums=DONATED)  # want SHD302 "batch"
score = partial(jax.jit, donate_argnames=["params"])(loss)  # want SHD302 "params"
batch = {"x": jnp.ones((16, 32)), "y": jnp.ones((16, 8))}
params = train({"w": jnp.ones((32, 8))}, batch)
print(score(params, {"x": jnp.ones((16, 32)), "y": jnp.ones((16, 8))}))

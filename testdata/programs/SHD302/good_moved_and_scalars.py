"""Donated arguments whose buffers serve another output of their size."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnums=(0, 1))
def swap(a, b):
    return {"a": b + 1, "b": a * 2}


@functools.partial(jax.jit, donate_argnames="x")
def transpose(x):
    return x.reshape(16, 4), x.sum()


print(jax.tree.map(jnp.shape, swap(jnp.ones((4, 4)), jnp.zeros((4, 4)))), transpose(jnp.ones((4, 16)))[0].shape)

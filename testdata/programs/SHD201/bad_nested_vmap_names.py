"""The inner map binds its name, the outer one was renamed."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

BATCH, HEADS = "batch", "heads"


def normalize(x, axes):
    for axis in axes:
        x = x - lax.pmean(x, axis)  # want SHD201 "batch"
    return x


def per_head(q):
    return normalize(q, (HEADS, BATCH))


def attention(qs):
    return jax.vmap(per_head, axis_name=HEADS)(qs)


run = jax.jit(jax.vmap(attention, axis_name="examples"))
print(run(jnp.ones((4, 2, 3))).shape)

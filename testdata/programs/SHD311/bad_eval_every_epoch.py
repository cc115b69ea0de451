import functools

import jax
import jax.numpy as jnp

BATCHES = [jnp.ones((4, 3)) for _ in range(3)]


def loss(params, batch, *, scale):
    return scale * jnp.mean((batch @ params) ** 2)


def train(params, epochs):
    for epoch in range(epochs):
        for batch in BATCHES:
            step = jax.jit(functools.partial(loss, scale=1.0 / (epoch + 1)))  # want SHD311 "jax\.jit"
            params = params - 0.1 * step(params, batch)
    return params


print(train(jnp.ones(3), 2))

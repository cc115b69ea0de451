"""The step is defined and jitted in the epoch loop."""
import functools

import jax
import jax.numpy as jnp


def train(epochs, steps):
    w, lr = jnp.ones((8, 8)), 0.1
    for epoch in range(epochs):

        def update(w, x):
            return w - lr * x.mean()

        step = jax.jit(update)  # want SHD311 "jax\.jit"
        for i in range(steps):
            w = step(w, jnp.full((4,), float(i)))
    return w


print(train(2, 2).shape)

"""Keys that a jitted step returns are left alone, however they came to be."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="size", donate_argnums=0)
def donated(state, rng, size):
    rng, sub = jax.random.split(rng)
    return state + jax.random.normal(sub, (size,)), rng


@jax.jit
def forward(key):
    return jax.random.split(key)


def loop(key: jax.Array, steps):
    for _ in range(steps):
        key, sub = forward(key)
    return key


class Sampler:
    def __init__(self, dropout_rng):
        self.dropout_rng = dropout_rng

    def run(self, steps, advance):
        advance = jax.jit(advance)
        for _ in range(steps):
            self.dropout_rng, noise = advance(self.dropout_rng)
        return noise


def train(state, rng_state, steps, step):
    step = jax.jit(step, donate_argnames="state")
    for _ in range(steps):
        state, rng_state = step(state, rng_state)
    return state


print(loop(jax.random.key(0), 3))
print(Sampler(jax.random.key(1)).run(2, jax.random.split))
print(donated(jnp.zeros(4096), jax.random.key(2), 4096)[1])

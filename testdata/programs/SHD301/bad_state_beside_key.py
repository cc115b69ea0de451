"""The key of a step may stay; the large state beside it should be donated. Attention's keys are no random ones."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="scale")  # want SHD301 "^state is replaced.*donate_argnums=1$"
def next_state(scale, state, key):
    key, sub = jax.random.split(key)
    return state + scale * jax.random.normal(sub, state.shape), key


@jax.jit  # want SHD301 "^key, value is replaced.*donate_argnums=\(0, 1\)$"
def extend(key, value, token):
    return key.at[:, -1].set(token), value.at[:, -1].set(token)


def train(scale, state, key, steps):
    for _ in range(steps):
        state, key = next_state(scale, state, key)
    return state


def decode(key, value, tokens):
    for token in tokens:
        key, value = extend(key, value, token)
    return key, value


print(train(2, jnp.zeros((64, 64)), jax.random.PRNGKey(0), 3).shape)
print(decode(jnp.zeros((64, 64)), jnp.zeros((64, 64)), [1.0, 2.0])[0].shape)

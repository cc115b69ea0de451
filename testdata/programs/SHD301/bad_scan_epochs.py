"""An epoch is one jitted scan; the state goes through it again and again."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    params: jax.Array
    momentum: jax.Array


def one(state, x):
    g = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(state.params)
    momentum = 0.9 * state.momentum + g
    return State(state.params - 0.01 * momentum, momentum), jnp.mean(g)


@functools.partial(jax.jit, static_argnames="unroll")  # want SHD301 "donate"
def epoch(state, data, *, unroll=1):
    return jax.lax.scan(one, state, data, unroll=unroll)


def fit(state, data, epochs):
    history = []
    for _ in range(epochs):
        state, stats = epoch(state, data)
        history.append(float(stats.mean()))
    return state, history


data = jnp.ones((4, 8, 64))
state, history = fit(State(jnp.ones((64, 64)), jnp.zeros((64, 64))), data, 3)
print(state.params.shape, len(history))

"""Parts of the old state are compared with the new one after each step: donation would delete them."""
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    position: jax.Array
    reached: jax.Array


@functools.partial(jax.jit, static_argnames=("size",))
def move(state, action, size):
    position = (state.position + action) % size
    return State(position, state.reached | (position[:, None] == jnp.arange(size)))


@jax.jit
def relax(tree, x):
    return {"grid": tree["grid"] * 0.5 + x, "count": tree["count"] + 1}


def play(actions):
    state = State(jnp.zeros(4096, jnp.int32), jnp.zeros((4096, 32), bool))
    gained = []
    for action in actions:
        before = state.reached
        state = move(state, action, size=32)
        gained.append(int((state.reached & ~before).sum()))
    return gained


def settle(x):
    tree = {"grid": jnp.zeros((512, 512)), "count": jnp.zeros((512,), jnp.int32)}
    change = 1.0
    while change > 1e-3:
        last = tree["grid"]
        tree = relax(tree, x)
        change = float(jnp.abs(tree["grid"] - last).max())
    return tree


print(play([1, 2, 3]), settle(jnp.ones((512, 512)))["count"][0])

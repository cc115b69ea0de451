"""The step comes from a factory, the loop is a while loop, the arguments are a NamedTuple and a key."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Carry(NamedTuple):
    params: dict
    moments: dict


def make_step(loss_fn, lr=1e-2):
    def step(carry, x, key):
        noise = jax.random.normal(key, x.shape)
        grads = jax.grad(loss_fn)(carry.params, x + noise)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, carry.moments, grads)
        params = jax.tree.map(lambda p, m: p - lr * m, carry.params, moments)
        return Carry(params, moments)

    return jax.jit(step)  # want SHD301 "donate_argnums=0"


def main():
    params = {"w": jnp.ones((64, 64))}
    carry = Carry(params, jax.tree.map(jnp.zeros_like, params))
    step = make_step(lambda p, x: jnp.mean((x @ p["w"]) ** 2))
    key, n = jax.random.key(0), 0
    while n < 3:
        key, sub = jax.random.split(key)
        carry = step(carry, jnp.ones((8, 64)), sub)
        n += 1
    return carry


print(main().params["w"].shape)

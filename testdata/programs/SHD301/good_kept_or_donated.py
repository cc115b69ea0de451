"""Donation by every spelling, old values with readers, scalars and keys."""
import functools

import jax
import jax.numpy as jnp

DONATE = dict(donate_argnums=(0,))


def scale(w, x):
    return w * x.mean()


a = jax.jit(scale, **DONATE)
b = functools.partial(jax.jit, donate_argnames=("w",))(scale)


@functools.partial(jax.jit, donate_argnums=0)
def c(w, x):
    return w + x.sum()


@jax.jit
def keep(w, x):
    return w - x.mean()


@jax.jit
def count(n, key):
    key, _ = jax.random.split(key)
    return n + 1, key


x = jnp.ones((8, 8))
w = jnp.ones((64, 64))
for _ in range(3):
    w = a(w, x)
for _ in range(3):
    w = b(w, x)
for _ in range(3):
    w = c(w, x)
best = w
history = []
for _ in range(3):
    history.append(w)
    w = keep(w, x)
n, key = jnp.zeros(()), jax.random.key(0)
for _ in range(3):
    n, key = count(n, key)
for _ in range(3):
    fresh = keep(jnp.ones((64, 64)), x)
once = keep(best, x)
print(n, once.shape, len(history), fresh.shape)

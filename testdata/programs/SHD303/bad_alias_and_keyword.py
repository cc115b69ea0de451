"""donate_argnames with the argument passed by position; the other name of the same buffer is read."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnames=("cache",))
def append(cache, row, index):
    return jax.lax.dynamic_update_slice(cache, row[None], (index, 0))


def generate(steps=2):
    cache = jnp.zeros((4, 8))
    first = cache
    for i in range(steps):
        cache = append(cache, jnp.ones((8,)), i)
    return cache, first.sum()  # want SHD303 "first"


def twice():
    buf = jnp.zeros((4, 8))
    out = append(cache=buf, row=jnp.ones((8,)), index=0)
    return out + buf  # want SHD303 "buf"


for f in (generate, twice):
    print(f())

"""pmap: a mean inside and a sum outside."""
import functools

import jax
import jax.numpy as jnp
from jax import lax

mean = functools.partial(lax.pmean, axis_name="i")
total = functools.partial(lax.psum, axis_name="i")


class Objective:
    def __call__(self, w, x):
        return mean(jnp.mean((x @ w) ** 2))  # want SHD204 "i"


objective = Objective()


@functools.partial(jax.pmap, axis_name="i", in_axes=(None, 0))
def gradient(w, x):
    return total(jax.grad(objective)(w, x))


print(gradient(jnp.ones(3), jnp.ones((8, 2, 3))).shape)

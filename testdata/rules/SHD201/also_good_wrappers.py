import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


def maybe_psum(x, axis_name):
    if axis_name is not None:
        x = jax.lax.psum(x, axis_name)
    return x


@functools.partial(jax.pmap, axis_name="devices")
def step(x):
    return maybe_psum(x, "devices")


@jax.jit
def plain(x):
    return maybe_psum(x, None)


def decorated(fn):
    return jax.vmap(fn, axis_name="batch")


@decorated
def norm(x):
    return x - jax.lax.pmean(x, "batch")


class Sync(nn.Module):
    axis_name: str = "batch"

    @nn.compact
    def __call__(self, x):
        return jax.lax.pmean(x, self.axis_name)


def train(model, x):
    return nnx.vmap(lambda m, v: jax.lax.pmean(m(v), "b"), axis_name="b")(model, x)


step(jnp.ones((8, 2)))
plain(jnp.ones(3))
norm(jnp.ones((8, 3)))
jax.vmap(Sync().apply, axis_name="batch")({}, jnp.ones((8, 3)))

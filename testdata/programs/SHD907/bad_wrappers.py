"""pmap through partial, a constant, a class attribute and under jit."""
import functools

import jax
import jax.numpy as jnp
from jax import pmap as replicate_over

AXIS = "replicas"
parallel = functools.partial(jax.pmap, axis_name=AXIS)


@parallel  # want SHD907 "jax.shard_map"
def total(x):
    return jax.lax.psum(x, AXIS)


class Model:
    forward = staticmethod(replicate_over(lambda x: x + 1))  # want SHD907 "maintenance|new features"


twice = jax.pmap(lambda x: x * 2)


@jax.jit
def step(x):
    return twice(x).sum()  # want SHD907 "under jit"


n = jax.local_device_count()
print(total(jnp.ones((n, 2))).shape, Model.forward(jnp.ones(n)).shape, step(jnp.ones((n, 2))))

import jax
import jax.numpy as jnp

from tables import ROPE, SCALE


@jax.jit
def rotate(x):
    cos, sin = ROPE["cos"], ROPE["sin"]  # want SHD309 "ROPE"
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1) * SCALE


print(rotate(jnp.ones((2, 2048, 64))).shape)

import jax.numpy as jnp


def apply(x, w):
    return jnp.maximum(x @ w, 0)

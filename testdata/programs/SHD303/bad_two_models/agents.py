import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnums=0)
def improve(params, x):
    return {"w": params["w"] - 0.1 * (x.T @ x)}

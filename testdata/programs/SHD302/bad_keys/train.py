from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=(0, 1))  # want SHD302 "batch"
def train_step(params, batch, key):
    noise = jax.random.normal(key, (batch.shape[0], params.shape[0]))
    loss, g = jax.value_and_grad(lambda p: jnp.mean((noise @ p) ** 2) + batch.mean())(params)
    return params - 0.1 * g, loss

import jax
import jax.numpy as jnp

from train import train_step

params, key = jnp.ones((32, 32)), jax.random.PRNGKey(0)
params, loss = train_step(params, jnp.ones((8, 16)), key)
print(loss)

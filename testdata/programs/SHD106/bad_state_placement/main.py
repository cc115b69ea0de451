import jax
import jax.numpy as jnp

from placement import place, free_batch

params = {"w": jnp.ones((16, 8)), "b": jnp.zeros((8,))}
params = jax.tree.map(place, params)
print(jax.tree.map(jnp.shape, params), free_batch)

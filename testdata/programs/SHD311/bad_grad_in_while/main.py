import jax.numpy as jnp

from solver import minimize

print(minimize(lambda p: jnp.sum(p ** 2), jnp.ones(4), steps=3))

from options import apply

apply()
import jax.numpy as jnp

print(jnp.ones(2).sum())

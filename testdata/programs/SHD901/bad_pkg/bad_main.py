import jax
import jax.numpy as jnp

from utils import replicate, platform

print(replicate(jnp.ones(4)), platform())

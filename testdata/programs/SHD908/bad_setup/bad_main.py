import environment  # before jax is imported

import jax
import jax.numpy as jnp

print(jax.config.jax_use_shardy_partitioner, jnp.ones(3).sum())

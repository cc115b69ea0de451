import jax
import jax.numpy as jnp

EMBEDDING = jax.random.normal(jax.random.key(0), (4096, 512)) * 0.02

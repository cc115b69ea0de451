"""Compiles for one device only."""
import jax
import jax.numpy as jnp

print(jax.jit(lambda x: x + 1)(jnp.ones(3)).sum())

import jax.numpy as jnp

_angles = jnp.outer(jnp.arange(2048), 1.0 / 10_000 ** (jnp.arange(32) / 32))
ROPE = {"cos": jnp.cos(_angles), "sin": jnp.sin(_angles)}
SCALE = jnp.float32(0.125)

"""Splitting gives two halves, neither of which fills the donated buffer."""
import jax
import jax.numpy as jnp

split = jax.jit(lambda qkv: jnp.split(qkv, 2, axis=-1), donate_argnums=(0,))  # want SHD302 "qkv"
q, k = split(jnp.ones((8, 128)))
print(q.shape, k.shape)

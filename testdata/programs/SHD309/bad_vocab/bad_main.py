import jax
import jax.numpy as jnp

from weights import EMBEDDING


@jax.jit
def logits(h):
    return h @ EMBEDDING.T  # want SHD309 "EMBEDDING"


print(logits(jnp.ones((4, 512))).shape)

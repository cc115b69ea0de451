import jax
import jax.numpy as jnp
from optax import tree_utils as otu


def clipped(grads, limit):
    norm = otu.tree_l2_norm(grads)  # want SHD219 "norm.*shard"
    factor = jnp.minimum(1.0, limit / (norm + 1e-6))
    return jax.tree.map(lambda g: g * factor, grads), norm

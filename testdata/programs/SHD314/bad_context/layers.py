import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P


def normalize(x):
    y = x / jnp.linalg.norm(x, axis=-1, keepdims=True)
    return jax.lax.with_sharding_constraint(y, P("batch", None))  # want SHD314 "batch"

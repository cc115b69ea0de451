import jax
import jax.numpy as jnp

from attention import split_heads
from layouts import shard

q = split_heads(jnp.ones((8, 128, 64)), heads=4)
q = shard(q, "batch", "length", "heads", None)
pooled = q.mean(axis=(1, 2))
print(shard(pooled, "batch", "heads", None).shape)

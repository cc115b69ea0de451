import jax.numpy as jnp

from serving import KVCache, place

cache = place(KVCache.empty(batch=16, length=2048, heads=8, dim=32))
print(cache.k.sharding.spec)

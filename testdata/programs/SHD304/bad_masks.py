"""Masks made under jit from nothing, then used by a sharded step."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import sharding as js


def causal_mask(n):
    return jnp.tril(jnp.ones((n, n), bool))[None, None]


MESH = js.Mesh(np.array(jax.devices()).reshape(2, 4), ("replica", "model"))
build = jax.jit(causal_mask, static_argnums=(0,))  # want SHD304 "out_shardings"
mask = build(256)


@jax.jit
def attend(q, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, q)
    return jax.nn.softmax(jnp.where(mask, scores, -1e9)).sum()


q = jax.device_put(np.ones((2, 256, 4, 8), np.float32), js.NamedSharding(MESH, js.PartitionSpec("replica", None, "model")))
print(attend(q, mask), len(mask.sharding.device_set))

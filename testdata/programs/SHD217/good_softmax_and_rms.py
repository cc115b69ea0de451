"""Quotients inside of a mean whose denominators belong to the formula and are no counts."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))


def entropy(logits):
    e = jnp.exp(logits)
    p = e / e.sum(-1, keepdims=True)
    h = -(p * jnp.log(p)).sum(-1)
    rms = logits / jnp.sqrt(jnp.square(logits).mean(-1, keepdims=True) + 1e-6)
    return jax.lax.pmean((h.mean(), rms.mean(), logits.sum() / logits.shape[0]), "dp")


f = jax.shard_map(entropy, mesh=mesh, in_specs=P("dp"), out_specs=P())
print(f(jnp.ones((16, 4))))

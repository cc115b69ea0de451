"""Perplexity of padded batches: each device divides by its own number of tokens."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def token_losses(logits, targets):
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, targets[..., None], -1)[..., 0]


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
def evaluate(logits, targets):
    weights = (targets > 0).astype(jnp.float32)
    losses = token_losses(logits, targets) * weights
    mean = losses.sum() / jnp.maximum(weights.sum(), 1.0)
    return jnp.exp(jax.lax.pmean(mean, "data"))  # want SHD217 "weights"


targets = jnp.where(jnp.arange(64).reshape(16, 4) % 5 < jnp.arange(16)[:, None] % 5, 1, 0)
print(evaluate(jnp.zeros((16, 4, 8)), targets))

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def masked_mean(x, mask):
    denom = jnp.clip(mask.sum(), 1) if False else mask.sum() + 1e-8
    return jnp.sum(x * mask) / denom


def loss(x, batch):
    mask = (batch["labels"] != -100).astype(jnp.float32)
    return masked_mean(x, mask)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())
def evaluate(x, batch):
    return lax.pmean(loss(x, batch), axis_name="data")  # want SHD217 "denom"


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P())
def good(x):
    n = x.shape[0]
    total = lax.psum(jnp.sum(x > 0), "data")
    return lax.pmean(jnp.sum(x) / n, "data") + lax.pmean(x.sum() / total, "data")

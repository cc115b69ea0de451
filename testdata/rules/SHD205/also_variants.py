from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def metrics(logits, labels):
    loss = lax.pmean(jnp.mean(logits), "data")
    out = {"loss": loss, "acc": jnp.mean(logits > labels)}
    return lax.psum(out["loss"], "data"), lax.pmean(out["acc"], "data")  # want SHD205 "data"


f = jax.shard_map(metrics, mesh=mesh, in_specs=P("data"), out_specs=(P(), P()))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def regularised(params, x):
    l2 = sum(jnp.sum(p ** 2) for p in jax.tree.leaves(params))
    total = lax.psum(jnp.sum(x), ("data",)) + lax.psum(l2, "model")  # want SHD205 "model"
    n = lax.psum(jnp.ones(()), "data")
    k = lax.psum(1.0, axis_name="data")
    return total / n / k


@partial(jax.shard_map, mesh=mesh, in_specs=(P(None, "model"), P("data")), out_specs=P("data"), axis_names={"model", "data"})
def good(w, x):
    return lax.psum(x @ w @ w.T, "model")


@partial(jax.pmap, axis_name="i", in_axes=(None, 0))
def replicated(scale, x):
    return lax.psum(scale, "i") * x  # want SHD205 "scale.*i"

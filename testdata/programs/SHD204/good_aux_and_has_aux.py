"""Metrics that are reduced in the auxiliary output of the loss, and a reduction of what is not differentiated."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def loss_fn(w, x):
    pred = x * w
    value = jnp.mean(pred**2)
    metrics = {"loss": lax.pmean(value, "data"), "max": lax.pmean(jnp.max(pred), "data")}
    return value, metrics


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P(), P()), check_vma=False)
def step(w, x):
    mean = lax.pmean(x.mean(), "data")
    grads, metrics = jax.grad(loss_fn, has_aux=True)(w, x - mean)
    return w - 0.1 * lax.pmean(grads, "data"), metrics


print(step(jnp.float32(1.0), jnp.arange(16.0)))

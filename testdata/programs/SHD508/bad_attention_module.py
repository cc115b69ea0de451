"""A flash kernel inside a Flax block, under jit with sharded activations."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def _softmax_kernel(scores_ref, out_ref, *, scale):
    s = scores_ref[...] * scale
    s = s - jnp.max(s, -1, keepdims=True)
    e = jnp.exp(s)
    out_ref[...] = e / jnp.sum(e, -1, keepdims=True)


def fused_softmax(scores, scale):
    kernel = functools.partial(_softmax_kernel, scale=scale)
    return pl.pallas_call(  # want SHD508 "shard_map"
        kernel,
        out_shape=jax.ShapeDtypeStruct(scores.shape, scores.dtype),
        interpret=True,
    )(scores)


class Attention(nn.Module):
    heads: int = 2

    @nn.compact
    def __call__(self, x):
        q, k, v = (nn.Dense(16, name=n)(x) for n in ("q", "k", "v"))
        scores = jnp.einsum("bqd,bkd->bqk", q, k)
        return jnp.einsum("bqk,bkd->bqd", fused_softmax(scores, 0.25), v)


model = Attention()
x = jax.device_put(np.ones((8, 4, 16), np.float32), NamedSharding(mesh, P("data")))
params = model.init(jax.random.key(0), np.ones((1, 4, 16), np.float32))
forward = jax.jit(model.apply)
print(forward(params, x).shape)

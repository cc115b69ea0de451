import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def _rms_kernel(x_ref, gain_ref, o_ref):
    x = x_ref[...]
    o_ref[...] = x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain_ref[...]


def rms_norm(x, gain):
    run = pl.pallas_call(_rms_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)  # want SHD508 "shard_map"
    return run(x, gain)

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

wsc = jax.lax.with_sharding_constraint


def mlp(x, pin=True):
    h = jnp.tanh(x)
    if pin:
        wsc(h, P(None, "model"))  # want SHD401 "h"
    return h * 2

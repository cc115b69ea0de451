"""Frequencies are made once and used by a jitted method as an attribute."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Rotary:
    def __init__(self, length=8192, dim=256):
        angles = jnp.arange(length)[:, None] * (10_000.0 ** (-jnp.arange(0, dim, 2) / dim))
        self.sin, self.cos = jnp.sin(angles), jnp.cos(angles)
        self.rotate = jax.jit(lambda x: x[..., ::2] * self.cos[: x.shape[1]] - x[..., 1::2] * self.sin[: x.shape[1]])  # want SHD309 "self\.cos"


x = jax.device_put(np.ones((8, 16, 256), np.float32), NamedSharding(mesh, P("data")))
print(Rotary().rotate(x).shape)

"""A module with class attributes, a property and a method that builds specs from an f-string."""
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh


class Axes(NamedTuple):
    batch: str = "x0"
    hidden: str = "x1"


class Attention:
    axes: ClassVar[Axes] = Axes()
    prefix = "x"

    def __init__(self, mesh, depth=3):
        self.mesh = mesh
        self.depth = depth

    @property
    def weight_spec(self):
        return jax.P(None, self.axes.hidden)

    def cache_spec(self):
        return jax.P(self.axes.batch, f"{self.prefix}{self.depth}")  # want SHD101 "x3"

    def shard(self, spec):
        return jax.NamedSharding(self.mesh, spec)

    def init(self, key):
        w = jax.random.normal(key, (16, 16))
        return jax.device_put(w, self.shard(self.weight_spec)), jax.device_put(jnp.zeros((8, 16)), self.shard(self.cache_spec()))


devices = np.asarray(jax.devices())
layer = Attention(Mesh(devices.reshape(4, 2), Axes()))
print(layer.init(jax.random.key(0)))

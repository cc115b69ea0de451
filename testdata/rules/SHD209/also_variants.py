from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("d",))
R, S = P(), P("d")


class Layer:
    def __init__(self, mesh):
        self.apply = shard_map(self._apply, mesh, in_specs=(R, S, S), out_specs=S)  # want SHD209 "3.*2"
        self.ok = shard_map(self._apply, mesh, in_specs=(R, S), out_specs=S)

    def _apply(self, w, x):
        return w * x


def two(x):
    return x, x + 1


f = jax.shard_map(two, mesh=mesh, in_specs=S, out_specs=(S, S, R))  # want SHD209 "3.*2"
g = jax.shard_map(partial(lambda scale, x: scale * x, 2.0), mesh=mesh, in_specs=(S,), out_specs=S)
h = jax.shard_map(lambda x, y=1: x * y, mesh=mesh, in_specs=(S,), out_specs=S)
k = jax.shard_map(lambda x: x, mesh=mesh, in_specs=[S], out_specs=S)  # want SHD209 "in_specs"
m = jax.shard_map(lambda x: {"a": x}, mesh=mesh, in_specs=(S,), out_specs={"a": S})
n = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs="d", out_specs=S)  # want SHD209 "PartitionSpec"
f(jnp.ones(8))
Layer(mesh)

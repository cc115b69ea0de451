"""Weights on a transposed grid of the same devices."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

grid = np.asarray(jax.devices()).reshape(2, 4)


@dataclasses.dataclass
class Meshes:
    act: Mesh
    weight: Mesh

    @classmethod
    def build(cls):
        return cls(act=Mesh(grid, ("data", "model")), weight=Mesh(grid.T, ("model", "data")))


m = Meshes.build()
w = jax.device_put(jnp.ones((8, 8)), NamedSharding(m.weight, P("model", None)))
x = jax.device_put(jnp.ones((8, 8)), NamedSharding(m.act, P("data", None)))
apply = jax.jit(lambda p, v: v @ p["w"])
print(apply({"w": w}, x))  # want SHD107 "grid.T"

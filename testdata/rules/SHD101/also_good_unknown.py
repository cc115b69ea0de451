"""Nothing certain is known of these meshes or names."""
import json
import sys

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

cfg = json.load(open(sys.argv[1]))
mesh = jax.make_mesh(tuple(cfg["shape"]), tuple(cfg["axes"]))
a = NamedSharding(mesh, P("data"))
small = jax.make_mesh((2, 4), ("data", "model")) if cfg["small"] else mesh
b = NamedSharding(small, P("tensor"))


def place(mesh: Mesh, x, axis="data"):
    return jax.device_put(x, NamedSharding(mesh, P(axis)))


def constrain(x):
    return jax.lax.with_sharding_constraint(x, P("batch", None))


class Model:
    def __init__(self, axes):
        self.mesh = Mesh(jax.devices(), axes)

    def rows(self):
        return NamedSharding(self.mesh, P("rows"))

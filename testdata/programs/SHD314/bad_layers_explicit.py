"""Explicit axes chosen by a flag with a constant default; the layer still constrains."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclass
class Config:
    explicit: bool = True
    axes: tuple = ("data", "model")
    shape: tuple = (4, 2)

    def mesh(self):
        kind = AxisType.Explicit if self.explicit else AxisType.Auto
        return jax.make_mesh(self.shape, self.axes, axis_types=tuple(kind for _ in self.axes))


class Layer:
    def __init__(self, cfg):
        self.mesh = cfg.mesh()
        self.rows = NamedSharding(self.mesh, P(cfg.axes[0]))

    def __call__(self, x, w):
        return jax.lax.with_sharding_constraint(x @ w, self.rows)  # want SHD314 "Explicit|reshard"


layer = Layer(Config())
print(jax.jit(layer)(jnp.ones((8, 4)), jnp.ones((4, 4))).shape)

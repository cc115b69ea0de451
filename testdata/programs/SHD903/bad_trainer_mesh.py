"""The mesh is made by a configuration, and a block inside the model constrains its activations."""
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


@dataclass
class Config:
    data: int = 4
    model: int = 2
    width: int = 64

    @cached_property
    def mesh(self):
        shape = dict(data=self.data, model=self.model)
        return jax.make_mesh(tuple(shape.values()), tuple(shape))  # want SHD903 "axis_types"


class Block:
    def __init__(self, cfg):
        self.cfg = cfg
        self.act = NamedSharding(cfg.mesh, P("data", None, "model"))

    def init(self, key):
        return {"w": jax.random.normal(key, (self.cfg.width, self.cfg.width))}

    def __call__(self, params, x):
        h = jax.nn.relu(x @ params["w"])
        return jax.lax.with_sharding_constraint(h, self.act)


cfg = Config()
block = Block(cfg)
forward = jax.jit(block)
print(forward(block.init(jax.random.key(0)), jnp.ones((8, 16, cfg.width))).shape)

"""Sizes of a frozen configuration reach the layout by a method and a property."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    vocab: int
    width: int = 64
    heads: int = 4

    @property
    def embedding_shape(self):
        return self.vocab, self.width


@dataclasses.dataclass(frozen=True)
class Config:
    model: ModelConfig
    tensor: int = 8


config = Config(ModelConfig(vocab=50_257))
mesh = jax.make_mesh((config.tensor,), ("tensor",), axis_types=(AxisType.Auto,))
table = np.zeros(config.model.embedding_shape, np.float32)
table = jax.device_put(table, NamedSharding(mesh, P("tensor", None)))  # want SHD104 "50257.*8"
print(table.shape)

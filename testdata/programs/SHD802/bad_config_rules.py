"""Rules that are assembled from the axes of a configuration."""
import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType


@dataclasses.dataclass(frozen=True)
class MeshAxes:
    data: str = "data"
    model: str = "model"

    def rules(self):
        table = {"batch": self.data, "vocab": self.model, "heads": self.model, "embed": None}
        return tuple(table.items())


AXES = MeshAxes()


class Embedder(nn.Module):
    vocab: int = 64
    width: int = 16

    @nn.compact
    def __call__(self, tokens):
        table = self.param("table", nn.initializers.normal(), (self.vocab, self.width))
        x = jnp.take(table, tokens, axis=0)
        return nn.with_logical_constraint(x, ("batch", "length", "embed"))  # want SHD802 "length"


mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
model = Embedder()
tokens = np.zeros((8, 4), np.int32)
with jax.set_mesh(mesh), nn.logical_axis_rules(AXES.rules()):
    params = model.init(jax.random.key(0), tokens)
    print(jax.jit(model.apply)(params, tokens).sharding.spec)

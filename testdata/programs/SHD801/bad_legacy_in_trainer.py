"""The context of the mesh is entered by the trainer; the constraints stand in the layers."""
import contextlib

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax.linen import partitioning as nn_partitioning
from jax.experimental import mesh_utils
from jax.sharding import Mesh

LOGICAL_RULES = [("batch", "data"), ("seq", None), ("embed", "model")]


class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        x = nn.with_logical_constraint(x, ("batch", "seq", "embed"))
        return nn.Dense(self.width, use_bias=False)(jnp.tanh(x))


class Trainer:
    def __init__(self, shape=(4, 2)):
        self.mesh = Mesh(mesh_utils.create_device_mesh(shape), ("data", "model"))
        self.model = Block(16)
        self.forward = jax.jit(self.model.apply)

    def run(self, x):
        params = self.model.init(jax.random.key(0), x)
        with self.mesh:  # want SHD801 "set_mesh"
            with nn.logical_axis_rules(LOGICAL_RULES):
                return self.forward(params, x)


y = Trainer().run(np.ones((8, 4, 16), np.float32))
print(len(y.sharding.device_set))

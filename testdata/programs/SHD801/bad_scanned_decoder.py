"""Constraints in layers under scan, called with rules but with the mesh entered in the old way."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh

RULES = (("batch", "data"), ("embed", None), ("mlp", "model"))


class Layer(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, _):
        h = nn.Dense(4 * self.width)(x)
        h = nn.with_logical_constraint(jax.nn.gelu(h), ("batch", "mlp"))
        return x + nn.Dense(self.width)(h), None


class Decoder(nn.Module):
    layers: int = 2
    width: int = 8

    @nn.compact
    def __call__(self, x):
        stack = nn.scan(nn.remat(Layer), variable_axes={"params": 0}, split_rngs={"params": True}, length=self.layers)
        return stack(self.width)(x, None)[0]


mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
model, x = Decoder(), np.ones((8, 8), np.float32)
with nn.logical_axis_rules(RULES):
    with mesh:  # want SHD801 "set_mesh"
        params = model.init(jax.random.key(0), x)
        print(len(jax.jit(model.apply)(params, x).sharding.device_set))

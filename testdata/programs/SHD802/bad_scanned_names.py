"""A name without a rule in a layer that only scan calls."""
import flax.linen as nn
import jax
import numpy as np
from jax.sharding import AxisType

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
rules = [("batch", "data"), ("mlp", "model")]


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, scale):
        x = nn.with_logical_constraint(x * scale, ("batch", "hidden"))  # want SHD802 "hidden"
        return nn.Dense(8)(x), x.sum()


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, scales):
        layers = nn.scan(Layer, variable_axes={"params": 0}, split_rngs={"params": True}, in_axes=0)
        return layers(name="layers")(x, scales)


model, x, scales = Net(), np.ones((8, 8), np.float32), np.ones(3, np.float32)
with jax.set_mesh(mesh), nn.logical_axis_rules(rules):
    params = model.init(jax.random.key(0), x, scales)
    print(jax.jit(model.apply)(params, x, scales)[1].shape)

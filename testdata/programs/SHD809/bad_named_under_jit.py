"""A ResNet block written for pmap, now trained with jit and shardings."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
AXIS = "batch"


class Block(nn.Module):
    filters: int
    norm: type

    @nn.compact
    def __call__(self, x):
        y = nn.Conv(self.filters, (3, 3), use_bias=False)(x)
        return x + nn.relu(self.norm()(y))


class ResNet(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train, momentum=0.9, axis_name=AXIS)  # want SHD809 "batch"
        x = nn.Conv(4, (3, 3))(x)
        return Block(4, norm)(x).mean((1, 2))


model = ResNet()
x = jax.device_put(np.ones((8, 4, 4, 3), np.float32), NamedSharding(mesh, P("data")))
variables = model.init(jax.random.key(0), np.ones((1, 4, 4, 3), np.float32), train=False)


@jax.jit
def train_step(variables, x):
    return model.apply(variables, x, mutable=["batch_stats"])


y, updates = train_step(variables, x)
print(y.shape)

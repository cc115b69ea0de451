"""Statistics under jit, under a vmap that binds the name, with running averages in a map, and a norm without statistics of the batch."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Net(nn.Module):
    axis: str | None = None

    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train, axis_name=self.axis if train else None)(nn.Dense(4)(x))
        return nn.LayerNorm()(x)


x = np.arange(64, dtype=np.float32).reshape(16, 4)
plain, named = Net(), Net(axis="data")
variables = plain.init(jax.random.key(0), x, train=False)
y, _ = jax.jit(lambda v, x: plain.apply(v, x, train=True, mutable=["batch_stats"]))(variables, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def train(v, x):
    return named.apply(v, x, train=True, mutable=["batch_stats"])[0]


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def evaluate(v, x):
    return plain.apply(v, x, train=False)


print(y.shape, train(variables, x).shape, evaluate(variables, x).shape)

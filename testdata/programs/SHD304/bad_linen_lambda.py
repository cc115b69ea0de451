"""A model is initialized under jit while the mesh waits."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
data_sharding = NamedSharding(mesh, P("fsdp"))


def init_layers(key, depth=2, width=64):
    keys = jax.random.split(key, depth)
    return [{"w": jax.random.normal(k, (width, width)), "b": jnp.zeros((width,))} for k in keys]


def apply(layers, x):
    for layer in layers:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x


params = jax.jit(lambda key: init_layers(key, depth=4))(jax.random.key(0))  # want SHD304 "out_shardings"
x = jax.device_put(np.ones((8, 64), np.float32), data_sharding)
print(len(params[0]["w"].sharding.device_set), apply(params, x).shape)

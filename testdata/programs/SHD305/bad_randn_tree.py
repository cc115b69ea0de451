"""Weights are drawn on one device and then spread, one by one."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("tensor",), axis_types=(AxisType.Auto,))
SHAPES = {"up": (1024, 4096), "down": (4096, 1024)}
SPECS = {"up": P(None, "tensor"), "down": P("tensor", None)}


def sharded(name):
    return NamedSharding(mesh, SPECS[name])


def create(key):
    params = {}
    for (name, shape), k in zip(SHAPES.items(), jax.random.split(key, len(SHAPES))):
        weight = 0.02 * jax.random.truncated_normal(k, -2, 2, shape)
        params[name] = jax.device_put(weight, sharded(name))  # want SHD305 "out_shardings"
    return params


print(jax.tree.map(lambda p: p.sharding.spec, create(jax.random.key(0))))

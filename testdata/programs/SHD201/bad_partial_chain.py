"""The axis name goes through a chain of partials."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))


def reduce_with(op, tree, axis_name):
    return jax.tree.map(partial(op, axis_name=axis_name), tree)  # want SHD201 "data"


mean_over = partial(reduce_with, lax.pmean)
mean_data = partial(mean_over, axis_name="data")
mean_dp = partial(mean_over, axis_name="dp")


def step(x):
    return mean_data({"x": x})["x"]


def right(x):
    return mean_dp({"x": x})["x"]


smap = partial(jax.shard_map, mesh=mesh, in_specs=P("dp"), out_specs=P())
print(smap(right)(jnp.ones(8)))
print(smap(step)(jnp.ones(8)))

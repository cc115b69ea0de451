"""Evaluation on the flat mesh while the training mesh is set."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, Mesh, PartitionSpec as P

AUTO = AxisType.Auto
train = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AUTO, AUTO))
flat = Mesh(train.devices.reshape(-1), ("all",))


def make_mean(mesh):
    axis, = mesh.axis_names

    @partial(jax.shard_map, mesh=mesh, in_specs=P(axis), out_specs=P())  # want SHD313 "flat.*train"
    def mean(x):
        return jax.lax.pmean(x.mean(), axis)

    return mean


mean_all = make_mean(flat)


def evaluate(x):
    return float(mean_all(x))


with jax.set_mesh(train):
    print(evaluate(jnp.arange(16.0)))

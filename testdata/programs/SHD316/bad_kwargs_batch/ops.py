import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes

mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
jax.set_mesh(mesh)


@auto_axes(out_sharding=P(None))
def segment_mean(values, segments, n=4):
    totals = jax.ops.segment_sum(values, segments, n)
    return totals / jax.ops.segment_sum(jnp.ones_like(values), segments, n)

"""Collectives behind a test for the axis, a name that is passed down, and nested maps."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


class Stats:
    def __init__(self, axis_name=None):
        self.axis_name = axis_name

    def __call__(self, x):
        mean = x.mean()
        return lax.pmean(mean, self.axis_name) if self.axis_name is not None else mean


def try_mean(x, axis):
    try:
        return lax.pmean(x, axis)
    except NameError:
        return x


local, synced = Stats(), Stats("data")
f = jax.shard_map(synced, mesh=mesh, in_specs=P("data"), out_specs=P())
inner = jax.shard_map(
    lambda x: jax.vmap(lambda r: lax.psum(r.sum(), "model"))(x),
    mesh=mesh, in_specs=P("data", "model"), out_specs=P("data"))
print(jax.jit(local)(jnp.ones(8)), f(jnp.ones(8)), inner(jnp.ones((8, 2))).shape, try_mean(jnp.ones(()), "data"))

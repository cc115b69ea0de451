"""Gathers that are reduced, kept varying or sliced to their own part."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = functools.partial(jax.shard_map, mesh=mesh, in_specs=P("d"))


@functools.partial(smap, out_specs=P())
def reduced(x):
    return lax.pmean(lax.all_gather(x, "d", tiled=True), "d")


@functools.partial(smap, out_specs=P())
def invariant(x):
    return lax.all_gather(x, "d", tiled=True, to="invarying")


@functools.partial(smap, out_specs=P("d"))
def centered(x):
    return x - lax.all_gather(x, "d", tiled=True).mean()


print(reduced(jnp.ones(8)), invariant(jnp.ones(8)), centered(jnp.ones(8)))

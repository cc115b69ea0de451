"""Negative dimensions of collectives through constants and keywords."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
LAST = -1
OPTS = {"scatter_dimension": LAST, "tiled": True}
smap = functools.partial(jax.shard_map, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False)


def scatter(x):
    return lax.psum_scatter(x, "d", **OPTS)  # want SHD221 "scatter_dimension.*-1|-1.*scatter_dimension"


def swap(x, split=-1, concat=0):
    return lax.all_to_all(x, "d", split, concat, tiled=True)  # want SHD221 "split_axis"


def swap_back(x, concat=LAST):
    return lax.all_to_all(x, axis_name="d", split_axis=1, concat_axis=concat, tiled=True)  # want SHD221 "concat_axis"


for f in (scatter, swap, swap_back):
    try:
        print(smap(f)(jnp.ones((64, 16))).shape)
    except Exception as e:
        print(type(e), str(e)[:80])

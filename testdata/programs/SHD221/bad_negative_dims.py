from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

LAST = -1
mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
scatter = partial(lax.psum_scatter, axis_name="d", scatter_dimension=LAST, tiled=True)


def reduce(tree):
    return jax.tree.map(scatter, tree)  # want SHD221 "scatter_dimension.*-1"


def swap(x, split=0, concat=-1):
    return lax.all_to_all(x, "d", split, concat, tiled=True)  # want SHD221 "concat_axis.*-1"


for f in (reduce, swap):
    print(jax.shard_map(f, mesh=mesh, in_specs=P(), out_specs=P("d"), check_vma=False)(jnp.ones((8, 16))).shape)

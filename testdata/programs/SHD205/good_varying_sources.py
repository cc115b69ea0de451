"""Values that differ between devices although they are made of equal ones, and constants that count devices."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def attend(table, ids):
    mine = table[ids]
    index = lax.axis_index("data")
    block = lax.dynamic_slice_in_dim(table, index, 1)
    devices = lax.psum(jnp.ones((), jnp.int32), "data") if False else lax.psum(1, "data")
    keyed = jax.random.normal(jax.random.fold_in(jax.random.key(0), index), (2,))
    return lax.psum(mine.sum(), "data") + lax.psum(block.sum(), "data") / devices + lax.pmean(keyed.sum(), "data")


print(attend(jnp.arange(16.0), jnp.arange(8)))

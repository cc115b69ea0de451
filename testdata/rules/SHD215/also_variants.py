from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def dispatch(x):
    return lax.all_to_all(x, "data", split_axis=1, concat_axis=0)  # want SHD215 "tiled"


f = jax.shard_map(dispatch, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
f(jnp.ones((8, 16)))
f2 = jax.shard_map(lambda x: lax.all_to_all(x, "data", 1, 0), mesh=mesh, in_specs=P("data"), out_specs=P("data"))
f2(jnp.ones((8, 4)))


@partial(jax.shard_map, mesh=mesh, in_specs=P(None, "model"), out_specs=P("model"))
def rows(x):
    y = jnp.tanh(x)
    return lax.psum_scatter(y, "model", tiled=False)  # want SHD215 "tiled"


rows(jnp.ones((6, 8)))

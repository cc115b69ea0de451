import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, explicit_axes

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
jax.set_mesh(mesh)


@functools.partial(explicit_axes, in_sharding=(P("data"), P()))
def lookup(ids, table):
    return table.at[ids].get(out_sharding=P("data", None))


print(jax.jit(lookup)(jnp.zeros((8,), jnp.int32), jnp.ones((32, 4))).shape)

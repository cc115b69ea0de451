import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

AXIS = "batch"
mesh = jax.make_mesh((8,), (AXIS,), axis_types=(AxisType.Auto,))
KW = dict(mesh=mesh, in_specs=AXIS, out_specs=P(AXIS))  # want SHD209 "PartitionSpec"


@jax.shard_map(**KW)
def half(x):
    return x / 2


print(half(jnp.ones(8)))

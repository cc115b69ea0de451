from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(None, "model"), P("model")), out_specs=P())
def dense(x, w):
    return jax.lax.psum(x @ w, "model")


batched = jax.vmap(dense, in_axes=(0, None))  # want SHD220 "spmd_axis_name"
x = jax.device_put(jnp.ones((8, 4, 16)), NamedSharding(mesh, P("data")))
print(jax.jit(batched)(x, jnp.ones((16, 4))).shape)

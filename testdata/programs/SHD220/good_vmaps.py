from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(None, "model"), P("model")), out_specs=P())
def dense(x, w):
    return jax.lax.psum(jax.vmap(lambda r: r @ w)(x), "model")


named = jax.vmap(dense, in_axes=(0, None), spmd_axis_name="data")
plain = jax.vmap(dense, in_axes=(0, None))
x = jax.device_put(jnp.ones((8, 4, 16)), NamedSharding(mesh, P("data")))
y = jax.device_put(jnp.ones((8, 4, 16)), NamedSharding(mesh, P(None, None, "model")))
print(jax.jit(named)(x, jnp.ones((16, 4))).shape, jax.jit(plain)(y, jnp.ones((16, 4))).shape)

import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("sp",), axis_types=(AxisType.Auto,))

@jax.jit
def prepend(cls, x):
    return jnp.concatenate([jnp.broadcast_to(cls, (x.shape[0], 1, x.shape[2])), x], axis=1) * 2  # want SHD506 "'sp'.*130\.0 KiB"

cls = jax.device_put(np.ones((1, 1, 64), np.float32), NamedSharding(mesh, P()))
x = jax.device_put(np.ones((4, 512, 64), np.float32), NamedSharding(mesh, P(None, "sp", None)))
jax.block_until_ready(prepend(cls, x))

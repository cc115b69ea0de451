import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
jax.config.update("jax_threefry_partitionable", False)  # want SHD517 "168\.0 KiB"
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

@jax.jit
def drop(key, x, w):
    h = x @ w
    keep = jax.random.bernoulli(key, 0.9, h.shape)
    return jnp.where(keep, h / 0.9, 0).sum(-1)

x = jax.device_put(np.ones((512, 64), np.float32), NamedSharding(mesh, P("data")))
w = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P()))
jax.block_until_ready(drop(jax.random.key(0), x, w))

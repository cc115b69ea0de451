import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

@jax.jit
def drop(key, x, w):
    h = x @ w + jax.random.normal(key, (x.shape[0], w.shape[1])) * 0.01
    keep = jax.random.bernoulli(jax.random.fold_in(key, 1), 0.9, h.shape)
    return jnp.where(keep, h / 0.9, 0)

x = jax.device_put(np.ones((512, 64), np.float32), NamedSharding(mesh, P("data")))
w = jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P()))
jax.block_until_ready(drop(jax.random.key(0), x, w))

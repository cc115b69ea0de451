import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("sp",), axis_types=(AxisType.Auto,))

@jax.jit
def tokens(image, w):
    flat = image.reshape(-1, image.shape[-1])  # want SHD502 "'sp'.*1\.0 MiB"
    return flat @ w

image = jax.device_put(np.ones((8, 512, 64), np.float32), NamedSharding(mesh, P(None, "sp", None)))
w = jax.device_put(np.ones((64, 32), np.float32), NamedSharding(mesh, P()))
jax.block_until_ready(tokens(image, w))

import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

def heads(x, w):
    z = x @ w
    z = z.reshape(x.shape[0], x.shape[1], 6, 32)  # want SHD502 "'tp'.*48\.0 KiB"
    return jnp.einsum("btnd,bsnd->bnts", z, z)

x = jax.device_put(np.ones((4, 64, 128), np.float32), NamedSharding(mesh, P("dp")))
w = jax.device_put(np.ones((128, 192), np.float32), NamedSharding(mesh, P(None, "tp")))
jax.block_until_ready(jax.jit(heads)(x, w))

import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("ep",), axis_types=(AxisType.Auto,))

@jax.jit
def moe(x, gate, up):
    expert = jnp.argmax(x @ gate, -1)
    sizes = jnp.bincount(expert, length=8).astype(jnp.int32)
    h = jax.lax.ragged_dot(x, up, sizes)  # want SHD519 "'ep'.*384\.0 KiB"
    return jax.nn.relu(h)

x = jax.device_put(np.ones((512, 64), np.float32), NamedSharding(mesh, P("ep")))
gate = jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P()))
up = jax.device_put(np.ones((8, 64, 128), np.float32), NamedSharding(mesh, P("ep")))
jax.block_until_ready(moe(x, gate, up))

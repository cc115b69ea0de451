import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def ffn(x, fc1, fc2):
    h = jax.nn.silu(x @ fc1)
    return x + h @ fc2  # want SHD515 "'fc2'.*'fc1'.*'tp'.*'s one all\-reduce, 64\.0 KiB per step; shard it as P\('.*', None\) instead of P\(None, '"

x = jax.device_put(np.ones((64, 128), np.float32), NamedSharding(mesh, P("dp")))
fc1 = jax.device_put(np.ones((128, 512), np.float32), NamedSharding(mesh, P(None, "tp")))
fc2 = jax.device_put(np.ones((512, 128), np.float32), NamedSharding(mesh, P(None, "tp")))
jax.block_until_ready(ffn(x, fc1, fc2))

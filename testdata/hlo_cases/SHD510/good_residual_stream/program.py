import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def trunk(x, up, down):
    def layer(h, ws):
        u, d = ws
        return h + jax.nn.gelu(h @ u) @ d, None
    h, _ = jax.lax.scan(layer, x, (up, down))
    return h

x = jax.device_put(np.ones((16, 64), np.float32), NamedSharding(mesh, P("dp")))
up = jax.device_put(np.ones((3, 64, 256), np.float32), NamedSharding(mesh, P(None, None, "tp")))
down = jax.device_put(np.ones((3, 256, 64), np.float32), NamedSharding(mesh, P(None, "tp", None)))
jax.block_until_ready(trunk(x, up, down))

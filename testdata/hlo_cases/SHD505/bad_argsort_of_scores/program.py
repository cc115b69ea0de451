import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("ep",), axis_types=(AxisType.Auto,))

@jax.jit
def route(x, gate):
    scores = jnp.max(x @ gate, axis=-1)
    order = jnp.argsort(scores)  # want SHD505 "'ep'.*32\.0 KiB"
    return order

x = jax.device_put(np.ones((8192, 64), np.float32), NamedSharding(mesh, P("ep")))
gate = jax.device_put(np.ones((64, 16), np.float32), NamedSharding(mesh, P()))
jax.block_until_ready(route(x, gate))

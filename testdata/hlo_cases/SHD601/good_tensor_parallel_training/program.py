import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("tp",), axis_types=(AxisType.Auto,))

@jax.jit
def step(p, x):
    def loss(p):
        h = jax.nn.relu(x @ p["u"].astype(jnp.bfloat16))
        return jnp.mean((h @ p["d"].astype(jnp.bfloat16)).astype(jnp.float32) ** 2)
    return jax.tree.map(lambda a, g: a - g, p, jax.grad(loss)(p))

p = {"u": jax.device_put(np.ones((64, 256), np.float32), NamedSharding(mesh, P(None, "tp"))),
     "d": jax.device_put(np.ones((256, 64), np.float32), NamedSharding(mesh, P("tp", None)))}
x = jax.device_put(jnp.ones((32, 64), jnp.bfloat16), NamedSharding(mesh, P()))
jax.block_until_ready(step(p, x))

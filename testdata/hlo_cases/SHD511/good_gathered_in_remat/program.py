import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("zero",), axis_types=(AxisType.Auto,))
whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("zero"))

def loss(stack, x):
    @jax.checkpoint
    def layer(h, w):
        w = jax.lax.with_sharding_constraint(w, whole)
        h = jax.lax.with_sharding_constraint(jnp.tanh(h @ w), rows)
        return h, None
    return jnp.mean(jax.lax.scan(layer, x, stack)[0] ** 2)

@jax.jit
def step(stack, x):
    return stack - jax.grad(loss)(stack, x)

stack = jax.device_put(np.ones((6, 64, 64), np.float32), NamedSharding(mesh, P(None, "zero")))
x = jax.device_put(np.ones((1024, 64), np.float32), rows)
jax.block_until_ready(step(stack, x))

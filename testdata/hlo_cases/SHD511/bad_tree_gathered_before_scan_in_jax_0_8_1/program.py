import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("zero",), axis_types=(AxisType.Auto,))
whole = NamedSharding(mesh, P())

def loss(stack, x):
    stack = jax.tree.map(lambda w: jax.lax.with_sharding_constraint(w, whole), stack)  # want SHD511 "'stack\['.*'\]'.*'zero'.*96\.0 KiB"
    def layer(h, w):
        return jnp.tanh(h @ w["kernel"] + w["bias"]), None
    return jnp.mean(jax.lax.scan(layer, x, stack)[0] ** 2)

@jax.jit
def step(stack, x):
    return jax.tree.map(lambda w, g: w - g, stack, jax.grad(loss)(stack, x))

stack = {"kernel": jax.device_put(np.ones((6, 64, 64), np.float32), NamedSharding(mesh, P(None, "zero"))),
         "bias": jax.device_put(np.ones((6, 64), np.float32), NamedSharding(mesh, P()))}
x = jax.device_put(np.ones((1024, 64), np.float32), NamedSharding(mesh, P("zero")))
jax.block_until_ready(step(stack, x))

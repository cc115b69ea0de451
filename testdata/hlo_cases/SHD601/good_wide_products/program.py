import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))

def dense(x, w):
    return jnp.dot(x, w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)

@jax.jit
def step(p, x):
    def loss(p):
        h = jnp.tanh(dense(x, p["a"])).astype(jnp.bfloat16)
        return jnp.mean(dense(h, p["b"]) ** 2)
    return jax.tree.map(lambda a, g: a - g, p, jax.grad(loss)(p))

p = jax.device_put({"a": np.ones((64, 64), np.float32), "b": np.ones((64, 16), np.float32)}, NamedSharding(mesh, P()))
x = jax.device_put(jnp.ones((32, 64), jnp.bfloat16), NamedSharding(mesh, P("data")))
jax.block_until_ready(step(p, x))

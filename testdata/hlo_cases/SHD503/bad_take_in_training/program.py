import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "vocab"), axis_types=(AxisType.Auto,) * 2)

def model(p, ids):
    e = jnp.take(p["words"], ids, axis=0)  # want SHD503 "'p\['.*'\]'.*'vocab'.*64\.0 KiB.*'vocab'"
    return jnp.tanh(e @ p["dense"])

def loss(p, ids, y):
    return optax.l2_loss(model(p, ids), y).mean()

@jax.jit
def step(p, ids, y):
    value, g = jax.value_and_grad(loss)(p, ids, y)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g), value

p = {"words": jax.device_put(np.ones((1024, 64), np.float32), NamedSharding(mesh, P("vocab", None))),
     "dense": jax.device_put(np.ones((64, 64), np.float32), NamedSharding(mesh, P()))}
ids = jax.device_put(np.zeros((16, 32), np.int32), NamedSharding(mesh, P("dp")))
y = jax.device_put(np.zeros((16, 32, 64), np.float32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(step(p, ids, y))

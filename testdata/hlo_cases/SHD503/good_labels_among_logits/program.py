import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "vocab"), axis_types=(AxisType.Auto,) * 2)

def loss(p, h, labels):
    logits = h @ p["head"]
    logits = jax.lax.with_sharding_constraint(logits, NamedSharding(mesh, P("dp", None, "vocab")))
    logp = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.take_along_axis(logp, labels[..., None], axis=-1).mean()

@jax.jit
def step(p, h, labels):
    value, g = jax.value_and_grad(loss)(p, h, labels)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g), value

p = {"head": jax.device_put(np.ones((64, 1024), np.float32), NamedSharding(mesh, P(None, "vocab")))}
h = jax.device_put(np.ones((16, 32, 64), np.float32), NamedSharding(mesh, P("dp")))
labels = jax.device_put(np.zeros((16, 32), np.int32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(step(p, h, labels))

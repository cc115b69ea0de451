import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((4, 2), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

def layer(h, w):
    h = jax.lax.with_sharding_constraint(h, NamedSharding(mesh, P("dp", None)))
    return jnp.tanh(h @ w), None

@jax.jit
def apply(emb, stack, tok):
    h = jax.lax.with_sharding_constraint(emb[tok], NamedSharding(mesh, P("dp", None)))
    h, _ = jax.lax.scan(layer, h, stack)
    return h

r = np.random.default_rng(0)
emb = jax.device_put(r.normal(size=(256, 64)).astype(np.float32), NamedSharding(mesh, P(None, "dp")))
stack = jax.device_put(r.normal(size=(3, 64, 64)).astype(np.float32), NamedSharding(mesh, P(None, "dp", None)))
tok = jax.device_put(r.integers(0, 256, size=(512,)).astype(np.int32), NamedSharding(mesh, P("dp")))
jax.block_until_ready(apply(emb, stack, tok))

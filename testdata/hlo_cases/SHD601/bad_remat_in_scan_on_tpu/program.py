import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("pod", "chip"), axis_types=(AxisType.Auto,) * 2)

def loss(p, x, y):
    @jax.checkpoint
    def layer(h, w):
        w = jax.tree.map(lambda a: a.astype(jnp.bfloat16), w)
        return jnp.tanh(h @ w["kernel"] + w["bias"]), None  # want SHD601 "'layers'.*'bias'.*'layers'.*'kernel'.*'pod'"
    h, _ = jax.lax.scan(layer, x.astype(jnp.bfloat16), p["layers"])
    z = jnp.einsum("bd,dk->bk", h, p["top"])
    return jnp.mean((z - y) ** 2)

@jax.jit
def step(p, x, y):
    return jax.tree.map(lambda a, g: a - 0.1 * g, p, jax.grad(loss)(p, x, y))

r = np.random.default_rng(0)
p = {"layers": {"kernel": r.normal(size=(3, 32, 32)).astype(np.float32), "bias": r.normal(size=(3, 32)).astype(np.float32)}, "top": r.normal(size=(32, 8)).astype(np.float32)}
p = jax.device_put(p, NamedSharding(mesh, P()))
x = jax.device_put(np.ones((64, 32), np.float32), NamedSharding(mesh, P(("pod", "chip"))))
y = jax.device_put(np.ones((64, 8), np.float32), NamedSharding(mesh, P(("pod", "chip"))))
jax.block_until_ready(step(p, x, y))

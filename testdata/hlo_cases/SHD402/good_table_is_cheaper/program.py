import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
rows, cols = NamedSharding(mesh, P("fsdp")), NamedSharding(mesh, P(None, "fsdp"))
tx = optax.sgd(0.1)

def forward(p, codes):
    h = jnp.take(p["codebook"], codes, axis=0)
    for name in ("a", "b", "c"):
        h = h + jax.nn.gelu(h @ p[name])
    return h

def loss(p, codes, y):
    return jnp.mean((forward(p, codes) - y) ** 2)

@jax.jit
def step(p, s, codes, y):
    g = jax.grad(loss)(p, codes, y)
    u, s = tx.update(g, s, p)
    return optax.apply_updates(p, u), s

r = np.random.default_rng(0)
p = {"codebook": jax.device_put(r.normal(size=(512, 128)).astype(np.float32), cols)}
for name in ("a", "b", "c"):
    p[name] = jax.device_put(r.normal(size=(128, 128)).astype(np.float32) * 0.05, rows)
codes = jax.device_put(r.integers(0, 512, size=(64, 256)).astype(np.int32), rows)
y = jax.device_put(np.zeros((64, 256, 128), np.float32), rows)
jax.block_until_ready(step(p, tx.init(p), codes, y))

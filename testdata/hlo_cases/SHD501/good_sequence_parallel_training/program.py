import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)
sh = lambda *s: NamedSharding(mesh, P(*s))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))

def fwd(p, ids):
    x = p["emb"][ids]
    def layer(x, w):
        x = jax.lax.with_sharding_constraint(x, sh("dp", "tp", None))
        n = x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)
        n = jax.lax.with_sharding_constraint(n, sh("dp", None, None))
        return x + jax.nn.gelu(n @ w["up"]) @ w["down"], None
    x, _ = jax.lax.scan(layer, x, p["layers"])
    return x @ p["out"]

def loss(p, ids):
    return optax.softmax_cross_entropy_with_integer_labels(fwd(p, ids), ids).mean()

@jax.jit
def step(p, s, ids):
    l, g = jax.value_and_grad(loss)(p, ids)
    u, s = tx.update(g, s, p)
    return optax.apply_updates(p, u), s, l

r = np.random.default_rng(0)
f = lambda *s: r.normal(size=s).astype(np.float32) * 0.1
p = {"emb": jax.device_put(f(256, 64), sh(None, "tp")), "layers": {"up": jax.device_put(f(3, 64, 256), sh(None, None, "tp")), "down": jax.device_put(f(3, 256, 64), sh(None, "tp", None))}, "out": jax.device_put(f(64, 256), sh(None, "tp"))}
ids = jax.device_put(np.zeros((8, 32), np.int32), sh("dp"))
jax.block_until_ready(step(p, tx.init(p), ids))

import jax, jax.numpy as jnp, numpy as np, optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
shard = NamedSharding(mesh, P("fsdp"))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))

def loss(p, x, y):
    q = jax.tree.map(lambda a: a.astype(jnp.float16), p)
    h = jax.nn.silu(x.astype(jnp.float16) @ q["enc"])  # want SHD601 "'enc'.*'fsdp'.*32\.0 KiB"
    return jnp.mean(((h @ q["dec"]).astype(jnp.float32) - y) ** 2)  # want SHD601 "'dec'.*'fsdp'.*(16|64)\.0 KiB"

@jax.jit
def step(p, s, xs, ys):
    def one(acc, b):
        return jax.tree.map(jnp.add, acc, jax.grad(loss)(p, *b)), None
    g, _ = jax.lax.scan(one, jax.tree.map(jnp.zeros_like, p), (xs, ys))
    u, s = tx.update(g, s, p)
    return optax.apply_updates(p, u), s

p = jax.device_put({"enc": np.ones((64, 128), np.float32), "dec": np.ones((128, 32), np.float32)}, shard)
s = jax.device_put(tx.init(p), None)
xs = jax.device_put(np.ones((2, 512, 64), np.float32), NamedSharding(mesh, P(None, "fsdp")))
ys = jax.device_put(np.ones((2, 512, 32), np.float32), NamedSharding(mesh, P(None, "fsdp")))
jax.block_until_ready(step(p, s, xs, ys))

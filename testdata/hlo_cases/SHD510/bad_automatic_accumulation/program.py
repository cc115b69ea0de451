import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("dp",), axis_types=(AxisType.Auto,))

def loss(p, xb, yb):
    return jnp.mean((jax.nn.relu(xb @ p["hid"]) @ p["out"] - yb) ** 2)  # want SHD510 "'dp'.*48\.0 KiB"

@jax.jit
def step(p, xs, ys):
    def one(carry, batch):
        total, acc = carry
        v, g = jax.value_and_grad(loss)(p, *batch)
        return (total + v, jax.tree.map(jnp.add, acc, g)), None
    zero = (0.0, jax.tree.map(jnp.zeros_like, p))
    (total, acc), _ = jax.lax.scan(one, zero, (xs, ys))
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, acc), total

r = np.random.default_rng(0)
p = jax.device_put({"hid": r.normal(size=(32, 64)).astype(np.float32), "out": r.normal(size=(64, 16)).astype(np.float32)}, NamedSharding(mesh, P()))
xs = jax.device_put(r.normal(size=(4, 64, 32)).astype(np.float32), NamedSharding(mesh, P(None, "dp")))
ys = jax.device_put(r.normal(size=(4, 64, 16)).astype(np.float32), NamedSharding(mesh, P(None, "dp")))
jax.block_until_ready(step(p, xs, ys))

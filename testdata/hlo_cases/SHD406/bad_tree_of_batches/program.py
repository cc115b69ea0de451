import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))
MICRO = 4

def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w["i"]) @ w["o"] - y) ** 2)

@jax.jit
def step(w, data):
    chunks = jax.tree.map(lambda a: a.reshape((MICRO, a.shape[0] // MICRO) + a.shape[1:]), data)  # want SHD406 "'batch'.*'batch'"

    def body(acc, chunk):
        g = jax.grad(loss)(w, chunk["x"], chunk["y"])
        return jax.tree.map(jnp.add, acc, g), ()

    acc, _ = jax.lax.scan(body, jax.tree.map(jnp.zeros_like, w), chunks)
    return jax.tree.map(lambda p, g: p - 0.1 * g / MICRO, w, acc)

r = np.random.default_rng(2)
w = {"i": r.normal(size=(64, 128)).astype(np.float32), "o": r.normal(size=(128, 32)).astype(np.float32)}
w = jax.device_put(w, NamedSharding(mesh, P()))
data = {"x": r.normal(size=(4096, 64)).astype(np.float32), "y": r.normal(size=(4096, 32)).astype(np.float32)}
data = jax.device_put(data, NamedSharding(mesh, P("batch")))
jax.block_until_ready(step(w, data))

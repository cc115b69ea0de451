import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))

def loss(w, x):
    return jnp.sum(jax.nn.relu(x @ w) ** 2)

@partial(jax.jit, donate_argnums=0)
def step(w, x):
    micro = x.reshape(x.shape[0] // 4, 4, -1).swapaxes(0, 1)
    def body(i, acc):
        return acc + jax.grad(loss)(w, micro[i])
    return w - 1e-3 * jax.lax.fori_loop(0, 4, body, jnp.zeros_like(w))

r = np.random.default_rng(2)
w = jax.device_put(r.normal(size=(64, 128)).astype(np.float32), NamedSharding(mesh, P()))
x = jax.device_put(r.normal(size=(2048, 64)).astype(np.float32), NamedSharding(mesh, P("batch")))
jax.block_until_ready(step(w, x))

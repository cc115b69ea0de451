import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ params["up"].astype(jnp.bfloat16))
    out = h @ params["down"].astype(jnp.bfloat16)
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    grads = jax.tree.map(lambda g: jax.lax.with_sharding_constraint(g, full), grads)
    return jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


rng = np.random.default_rng(0)
params = jax.device_put({"up": rng.normal(size=(64, 256)).astype(np.float32), "down": rng.normal(size=(256, 32)).astype(np.float32)}, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(params, x, y)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


@jax.custom_vjp
def narrow(w):
    return w.astype(jnp.bfloat16)


narrow.defvjp(lambda w: (narrow(w), None), lambda _, g: (g.astype(jnp.float32),))


def loss(params, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ narrow(params["up"]))
    out = h @ narrow(params["down"])
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    return jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)


rng = np.random.default_rng(0)
params = jax.device_put({"up": rng.normal(size=(64, 256)).astype(np.float32), "down": rng.normal(size=(256, 32)).astype(np.float32)}, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(params, x, y)

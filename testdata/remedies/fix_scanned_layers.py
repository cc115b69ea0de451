"""Layers in a scan: the sums run in the loop, on slices of stacked parameters."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, x, y):
    def layer(h, p):
        w = p["w"].astype(jnp.bfloat16)
        return jnp.tanh(h @ w + p["b"].astype(jnp.bfloat16)), None

    h, _ = jax.lax.scan(jax.checkpoint(layer), x.astype(jnp.bfloat16), params)
    return jnp.mean((h.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
params = {"w": (rng.normal(size=(3, 64, 64)) / 8).astype(np.float32), "b": rng.normal(size=(3, 64)).astype(np.float32)}
params = jax.device_put(params, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
result = step(params, x, y)

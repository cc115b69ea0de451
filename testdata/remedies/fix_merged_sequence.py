"""Tokens sharded over the sequence, then flattened."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("seq",))


@jax.jit
def step(x, w):
    h = x.reshape(-1, 64)
    return jnp.tanh(h @ w)


x = jax.device_put(np.random.default_rng(0).normal(size=(8, 256, 64)).astype(np.float32), NamedSharding(mesh, P(None, "seq")))
w = jax.device_put(np.random.default_rng(1).normal(size=(64, 32)).astype(np.float32), NamedSharding(mesh, P()))
print(float(jnp.abs(step(x, w)).sum()))

"""Stochastic depth inside of a scan over layers; the keys are split once, outside of the map."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def block(x, layer):
    w, key = layer
    keep = jax.random.bernoulli(key, 0.9, (x.shape[0], 1))  # want SHD216 "data"
    return x + keep * jnp.tanh(x @ w), None


def forward(ws, keys, x):
    x, _ = jax.lax.scan(block, x, (ws, keys))
    return x


mapped = jax.jit(jax.shard_map(forward, mesh=mesh, in_specs=(P(), P(), P("data")), out_specs=P("data")))
y = mapped(jnp.ones((3, 4, 4)), jax.random.split(jax.random.key(0), 3), jnp.ones((16, 4)))
print((y[:4] == y[4:8]).all())

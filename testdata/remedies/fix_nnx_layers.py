# apply: in float32
"""Layers of Flax NNX whose products stand in the library."""
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Model(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(40, 32, dtype=jnp.bfloat16, rngs=rngs)
        self.conv = nnx.Conv(32, 48, (3,), dtype=jnp.bfloat16, rngs=rngs)
        self.heads = nnx.Einsum("bsd,dhk->bshk", (48, 4, 8), (4, 8), dtype=jnp.bfloat16, rngs=rngs)
        self.out = nnx.LinearGeneral((4, 8), 16, axis=(-2, -1), dtype=jnp.bfloat16, rngs=rngs)

    def __call__(self, ids):
        h = self.embed(ids)
        h = jnp.tanh(self.conv(h))
        h = self.heads(h.astype(jnp.bfloat16))
        return self.out(h.astype(jnp.bfloat16))


graph, params = nnx.split(Model(nnx.Rngs(0)))


def loss(params, ids):
    return jnp.mean((nnx.merge(graph, params)(ids).astype(jnp.float32) - 1) ** 2)


@jax.jit
def step(params, ids):
    return jax.grad(loss)(params, ids)


rng = np.random.default_rng(0)
ids = jax.device_put(rng.integers(0, 40, size=(32, 8)), NamedSharding(mesh, P("data")))
result = step(jax.device_put(params, NamedSharding(mesh, P())), ids)

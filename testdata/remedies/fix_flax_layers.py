# apply: in float32
"""Layers of Flax Linen whose products stand in the library: a lookup, attention, a convolution, a dense layer over two dimensions."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Model(nn.Module):
    def setup(self):
        self.embed = nn.Embed(40, 32, dtype=jnp.bfloat16)
        self.attention = nn.MultiHeadDotProductAttention(4, dtype=jnp.bfloat16, use_bias=False)
        self.conv = nn.Conv(48, (3,), dtype=jnp.bfloat16)

    @nn.compact
    def __call__(self, ids):
        h = self.embed(ids)
        h = h + self.attention(h).astype(h.dtype)
        h = nn.tanh(self.conv(h).astype(h.dtype))
        return nn.DenseGeneral((4, 8), dtype=jnp.bfloat16)(h)


def loss(params, ids):
    return jnp.mean((model.apply(params, ids).astype(jnp.float32) - 1) ** 2)


@jax.jit
def step(params, ids):
    return jax.grad(loss)(params, ids)


model = Model()
rng = np.random.default_rng(0)
ids = jax.device_put(rng.integers(0, 40, size=(32, 8)), NamedSharding(mesh, P("data")))
params = jax.device_put(model.init(jax.random.key(0), ids), NamedSharding(mesh, P()))
grads = step(params, ids)["params"]
# The gradients of queries and keys are too small here to compare after 16-bit rounding.
result = grads["embed"], grads["attention"]["value"], grads["attention"]["out"], grads["conv"], grads["DenseGeneral_0"]

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("replica",))
rows, full = NamedSharding(mesh, P("replica")), NamedSharding(mesh, P())


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(32, 64, use_bias=False, dtype=jnp.bfloat16, rngs=rngs)
        self.outer = nnx.Linear(64, 16, use_bias=False, dtype=jnp.bfloat16, rngs=rngs)

    def __call__(self, x):
        return self.outer(jnp.tanh(self.inner(x)))


graph, state = nnx.split(Mlp(nnx.Rngs(0)))


def loss(state, x, y):
    out = nnx.merge(graph, state)(x)
    return jnp.sum((out.astype(jnp.float32) - y) ** 2) / y.size


@jax.jit
def step(state, x, y):
    return jax.grad(loss)(state, x, y)


rng = np.random.default_rng(1)
state = jax.device_put(state, full)
x = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 16)).astype(np.float32), rows)
result = step(state, x, y)

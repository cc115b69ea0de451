import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


class Tower(nn.Module):
    width: int

    def setup(self):
        self.up = nn.Dense(self.width, use_bias=False, dtype=jnp.bfloat16)

    @nn.compact
    def __call__(self, x):
        h = nn.gelu(self.up(x))
        return nn.Dense(
            24,
            use_bias=False,
            dtype=jnp.bfloat16,
        )(h)


model = Tower(96)


def loss(params, x, y):
    out = model.apply({"params": params}, x)
    return jnp.sum((out.astype(jnp.float32) - y) ** 2) / y.size


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
x = rng.normal(size=(64, 8, 40)).astype(np.float32)
params = jax.device_put(model.init(jax.random.key(0), x)["params"], full)
x = jax.device_put(x, rows)
y = jax.device_put(rng.normal(size=(64, 8, 24)).astype(np.float32), rows)
result = step(params, x, y)

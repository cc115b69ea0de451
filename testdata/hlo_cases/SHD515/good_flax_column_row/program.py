import jax, jax.numpy as jnp, numpy as np, flax.linen as nn
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

class Mlp(nn.Module):
    width: int
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(self.width, name="wi")(x)
        return nn.Dense(x.shape[-1], name="wo")(nn.relu(h))

m = Mlp(256)
x = jnp.ones((32, 64))
params = m.init(jax.random.key(0), x)["params"]
specs = {"wi": {"kernel": P(None, "tp"), "bias": P("tp")}, "wo": {"kernel": P("tp", None), "bias": P()}}
params = jax.tree.map(lambda l, s: jax.device_put(l, NamedSharding(mesh, s)), params, specs)
x = jax.device_put(x, NamedSharding(mesh, P("dp")))

@jax.jit
def step(p, x):
    g = jax.grad(lambda p: jnp.mean(m.apply({"params": p}, x) ** 2))(p)
    return jax.tree.map(lambda a, b: a - b, p, g)
jax.block_until_ready(step(params, x))

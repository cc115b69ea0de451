import jax, jax.numpy as jnp, numpy as np, flax.linen as nn
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("dp", "tp"), axis_types=(AxisType.Auto,) * 2)

class Mlp(nn.Module):
    width: int
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(self.width, name="wi")(x)  # want SHD515 "'p\['.*'\]\['.*'\]'.*'p\['.*'\]\['"
        return nn.Dense(x.shape[-1], name="wo")(nn.relu(h))

m = Mlp(256)
x = jnp.ones((32, 64))
params = m.init(jax.random.key(0), x)["params"]
def spec(path, leaf):
    return NamedSharding(mesh, P("tp", None) if leaf.ndim == 2 else P())
params = jax.tree_util.tree_map_with_path(lambda p, l: jax.device_put(l, spec(p, l)), params)
x = jax.device_put(x, NamedSharding(mesh, P("dp")))
forward = jax.jit(lambda p, x: m.apply({"params": p}, x))
jax.block_until_ready(forward(params, x))

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
SPECS = {"up": P(None, "model"), "down": P("model", None)}


def init():
    shapes = {"up": (8, 16), "down": (16, 8)}
    return {k: jax.device_put(jnp.ones(s), NamedSharding(mesh, SPECS[k])) for k, s in shapes.items()}


@jax.jit
def mlp(params, x):
    h = jax.nn.relu(x @ params["up"])
    return h @ params["down"]  # want SHD317 "model"


x = jax.device_put(jnp.ones((4, 8)), NamedSharding(mesh, P("data")))
print(mlp(init(), x).shape)

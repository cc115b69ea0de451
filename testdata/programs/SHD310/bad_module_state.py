"""Parameters are never placed, batches are."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
batch_sharding = NamedSharding(mesh, P("data"))


def init(key):
    return {"w": jax.random.normal(key, (16, 4)), "b": jnp.zeros((4,))}


def loss(params, batch):
    return jnp.mean((batch["x"] @ params["w"] + params["b"] - batch["y"]) ** 2)


@jax.jit
def step(params, batch):
    grads = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def data(n):
    for _ in range(n):
        yield {"x": np.ones((8, 16), np.float32), "y": np.zeros((8, 4), np.float32)}


params = init(jax.random.key(0))
for batch in data(3):
    batch = jax.device_put(batch, batch_sharding)
    params = step(params, batch)  # want SHD310 "params"
print(step._cache_size())

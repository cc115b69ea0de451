import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ params["up"].astype(jnp.bfloat16))
    out = h @ params["down"].astype(jnp.bfloat16)
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
params = jax.device_put({"up": rng.normal(size=(64, 96)).astype(np.float32), "down": rng.normal(size=(96, 32)).astype(np.float32)}, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
with jax.set_mesh(mesh):
    result = step(params, x, y)

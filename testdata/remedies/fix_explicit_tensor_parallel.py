"""Explicit axes, weights sharded over an axis that is not the batch's: their layout is kept, and they are reduced over the batch's axis."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
rows = NamedSharding(mesh, P("data"))


def loss(params, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ params["up"].astype(jnp.bfloat16))
    out = jnp.einsum("bf,fd->bd", h, params["down"].astype(jnp.bfloat16), out_sharding=P("data", None))
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
params = {
    "up": jax.device_put(rng.normal(size=(64, 96)).astype(np.float32), NamedSharding(mesh, P(None, "model"))),
    "down": jax.device_put(rng.normal(size=(96, 32)).astype(np.float32), NamedSharding(mesh, P("model", None))),
}
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
with jax.set_mesh(mesh):
    result = step(params, x, y)

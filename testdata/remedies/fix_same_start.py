"""Products that start at one point of the source, which is all that XLA knows of where they stand."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(params, x, y):
    p = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params)
    h = x.astype(jnp.bfloat16)
    a = jax.nn.softmax(jnp.einsum("btd,bsd->bts", h, h), axis=-1)
    h = jnp.einsum("bts,bsd->btd", a, h).reshape(h.shape) @ p["out"]
    h = jnp.tanh(h @ p["first"] @ p["second"])
    h = jnp.tanh(h * p["inner"] * p["outer"])
    return jnp.mean((h.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    return jax.grad(loss)(params, x, y)


rng = np.random.default_rng(0)
params = {k: (rng.normal(size=(64, 64)) / 8).astype(np.float32) for k in ("out", "first", "second")}
params |= {k: rng.normal(size=(64,)).astype(np.float32) for k in ("inner", "outer")}
params = jax.device_put(params, full)
x = jax.device_put(rng.normal(size=(32, 8, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(32, 8, 64)).astype(np.float32), rows)
result = step(params, x, y)

# apply: preferred_element_type
"""The gradient is taken of a 16-bit copy, so that no gradient can leave its product in float32 and stay so."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(half, x, y):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ half["up"])
    h = jnp.tanh(jnp.dot(h, half["dot"]))
    h = jnp.tanh(jnp.einsum("bd,df->bf", h, half["einsum"]))
    h = jnp.tanh(lax.dot_general(h, half["general"], (((1,), (0,)), ((), ()))))
    out = jnp.matmul(
        h,
        half["down"],
    )
    return jnp.mean((out.astype(jnp.float32) - y) ** 2)


@jax.jit
def step(params, x, y):
    half = jax.tree.map(lambda w: w.astype(jnp.bfloat16), params)
    grads = jax.grad(loss)(half, x, y)
    return jax.tree.map(lambda g: g.astype(jnp.float32), grads)


rng = np.random.default_rng(0)
square = lambda: (rng.normal(size=(64, 64)) / 8).astype(np.float32)
params = jax.device_put({k: square() for k in ("up", "dot", "einsum", "general", "down")}, full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
result = step(params, x, y)

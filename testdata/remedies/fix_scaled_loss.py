# apply: vmap
"""16-bit parameters, a loss scale, a second result beside the loss, and two trees that are differentiated."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


def loss(trunk, head, x, y, scale):
    h = jnp.tanh(x.astype(jnp.bfloat16) @ trunk["up"])
    error = (h @ head).astype(jnp.float32) - y
    square = jnp.mean(error**2)
    return (square + 0.1 * jnp.abs(error).mean()) * scale, {"square": square, "far": (jnp.abs(error) > 1).mean()}


@jax.jit
def step(trunk, head, x, y, scale):
    grads, seen = jax.grad(loss, argnums=(0, 1), has_aux=True)(trunk, head, x, y, scale)
    return grads, seen


rng = np.random.default_rng(0)
trunk = jax.device_put({"up": jnp.asarray(rng.normal(size=(64, 256)), jnp.bfloat16)}, full)
head = jax.device_put(jnp.asarray(rng.normal(size=(256, 32)) / 16, jnp.bfloat16), full)
x = jax.device_put(rng.normal(size=(128, 64)).astype(np.float32), rows)
y = jax.device_put(rng.normal(size=(128, 32)).astype(np.float32), rows)
result = step(trunk, head, x, y, jax.device_put(np.float32(64), full))

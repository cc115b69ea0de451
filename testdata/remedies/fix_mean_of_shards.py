# apply: vmap
"""Parameters stored in 16 bits, a batch in a dict and a scalar beside it: only a sum over shards can be wider."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "fsdp"))
rows, full = NamedSharding(mesh, P(("data", "fsdp"))), NamedSharding(mesh, P())


def loss(params, batch, scale):
    h = jnp.tanh(batch["x"].astype(jnp.bfloat16) @ params["up"] + params["bias"])
    error = ((h @ params["down"]).astype(jnp.float32) * scale - batch["y"]) ** 2
    total = jnp.mean(error)
    return 0.5 * total


@jax.jit
def step(params, batch, scale):
    value, grads = jax.value_and_grad(loss)(params, batch, scale)
    return value, grads


rng = np.random.default_rng(0)
params = {"up": rng.normal(size=(64, 256)), "bias": rng.normal(size=(256,)), "down": rng.normal(size=(256, 32)) / 16}
params = jax.device_put(jax.tree.map(lambda w: w.astype(jnp.bfloat16), params), full)
batch = {"x": rng.normal(size=(128, 64)).astype(np.float32), "y": rng.normal(size=(128, 32)).astype(np.float32)}
result = step(params, jax.device_put(batch, rows), jax.device_put(np.float32(1.5), full))

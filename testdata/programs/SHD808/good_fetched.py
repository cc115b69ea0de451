"""Host state is fetched by a tree.map before it is used, and only stored otherwise."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
device = NamedSharding(mesh, P("data"))
host = device.with_memory_kind("pinned_host")


def fetch(tree):
    return jax.tree.map(lambda leaf: jax.device_put(leaf, device), tree)


@jax.jit
def update(params, state, grads):
    state = fetch(state)
    state = {"mu": 0.9 * state["mu"] + grads, "nu": 0.99 * state["nu"] + grads**2}
    return params - state["mu"] * jax.lax.rsqrt(state["nu"] + 1e-8), jax.device_put(state, host)


zeros = np.zeros((8, 4), np.float32)
params = jax.device_put(zeros + 1, device)
state = jax.device_put({"mu": zeros, "nu": zeros}, host)
history = []
for _ in range(2):
    params, state = update(params, state, params)
    history.append(state["mu"])
print(params.shape, [h.sharding.memory_kind for h in history])

"""A state of a registered dataclass is never placed, its batches are."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    w: jax.Array
    step: jax.Array


mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))


@jax.jit
def train_step(state, x):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(state.w)
    return State(w=state.w - 0.1 * g, step=state.step + 1)


state = State(w=jnp.ones((4,)), step=jnp.zeros((), jnp.int32))
for i in range(3):
    batch = jax.device_put(np.full((8, 4), i, np.float32), rows)
    state = train_step(state, batch)  # want SHD310 "state"
print(train_step._cache_size())

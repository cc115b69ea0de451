"""Everything is donated; of the two arguments only the first comes back."""
import dataclasses
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.tree_util.register_dataclass, data_fields=["w", "m"], meta_fields=[])
@dataclasses.dataclass(frozen=True)
class State:
    w: jax.Array
    m: jax.Array


@functools.partial(jax.jit, donate_argnames=("state", "batch"))  # want SHD302 "batch"
def step(state, batch):
    m = 0.9 * state.m + batch.mean()
    return State(w=state.w - 0.1 * m, m=m)


state = step(State(w=jnp.ones((32, 32)), m=jnp.zeros((32, 32))), jnp.ones((8, 16)))
print(state.w.shape)

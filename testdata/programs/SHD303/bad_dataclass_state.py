"""The old state is logged after the step that took it."""
import dataclasses
import functools
import logging

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    params: jax.Array
    step: jax.Array

    def summary(self):
        return {"norm": float(jnp.linalg.norm(self.params)), "step": int(self.step)}


@functools.partial(jax.jit, donate_argnames=["state"])
def advance(state: State, x) -> State:
    return State(state.params - 0.1 * x.mean(0), state.step + 1)


def run(state, xs):
    for x in xs:
        new = advance(state, x)
        delta = jnp.abs(new.params - state.params).max()  # want SHD303 "state.*donated"
        logging.info("delta %s", delta)
        state = new
    return state


print(run(State(jnp.ones((4,)), jnp.zeros((), jnp.int32)), [jnp.ones((2, 4))] * 2).summary())

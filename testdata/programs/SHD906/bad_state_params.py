"""A NamedTuple state comes out of pmap; its step counter is read by index."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    step: jax.Array
    w: jax.Array


train = jax.pmap(lambda s: State(s.step + 1, s.w * 0.9))
state = State(np.zeros((8,), np.int32), np.ones((8, 4), np.float32))
for _ in range(2):
    state = train(state)
    if state.step[0] % 2 == 0:  # want SHD906 "state\.step\[0\]"
        print("eval")

import copy
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, donate_argnums=(0,))
def step(s, x):
    return {"w": s["w"] + x.sum()}, x.sum()


state = {"w": jnp.ones((4, 4))}
before = jax.tree.map(jnp.copy, state)
host = jax.device_get(state)
shape = None
for x in [jnp.ones(2)] * 3:
    shape = jax.tree.map(lambda a: a.shape, state)
    state, loss = step(state, x)
print(before["w"].sum(), host["w"].sum(), shape, state["w"].dtype, loss)

numpy_state = {"w": np.ones((4, 4), np.float32)}
out, _ = step(numpy_state, jnp.ones(2))
print(numpy_state["w"].sum(), out["w"].shape)


def run(s):
    if s is None:
        s = {"w": jnp.zeros((2, 2))}
    for _ in range(2):
        s = step(s, jnp.ones(1))[0]
    return s


def either(s, flag):
    if flag:
        s, _ = step(s, jnp.ones(1))
    else:
        s = {"w": s["w"] * 2}
    return s["w"]


w = jnp.ones((2, 2))
new, _ = step({"w": w}, jnp.ones(1))
w = new["w"]
print(run(None)["w"].sum(), either({"w": jnp.ones((2, 2))}, True).sum(), w.sum())

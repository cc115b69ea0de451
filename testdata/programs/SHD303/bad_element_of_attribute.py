"""The learner keeps its arrays in a dictionary and compares the old with the new."""
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=(0, 1))
def update(params, moments, grads):
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments


class Learner:
    def __init__(self, dim=8):
        self.vars = {"params": {"w": jnp.ones((dim, dim))}, "moments": {"w": jnp.zeros((dim, dim))}}
        self.history = []

    def step(self, grads):
        params, self.vars["moments"] = update(self.vars["params"], self.vars["moments"], grads)
        self.history.append(float(jnp.abs(self.vars["params"]["w"]).sum()))  # want SHD303 "self\.vars\[.params.\]"
        self.vars["params"] = params

    def last(self, grads):
        pair = [jnp.ones((2, 2)), jnp.ones((2, 2))]
        double = jax.jit(lambda x: x * 2, donate_argnums=0)
        new = double(pair[0])
        return new + pair[1], new - pair[0]  # want SHD303 "pair\[0\]"


learner = Learner()
try:
    learner.step({"w": jnp.ones((8, 8))})
except RuntimeError as e:
    print(str(e)[:22])
try:
    learner.last(None)
except RuntimeError as e:
    print(str(e)[:22])

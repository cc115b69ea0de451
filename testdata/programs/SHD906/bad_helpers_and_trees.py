"""Rows of what pmap returned: in a helper, from a tree, in a comprehension and of an attribute."""
from functools import partial

import jax
import jax.numpy as jnp

LEAD = 0


@partial(jax.pmap, axis_name="batch")
def update(params, x):
    grads = jax.lax.pmean(jax.grad(lambda p: jnp.mean((x @ p["w"]) ** 2))(params)["w"], "batch")
    return {"w": params["w"] - 0.1 * grads}, jnp.mean(grads)


def head(value):
    return value[LEAD]  # want SHD906 "addressable_data\(0\)"


class Trainer:
    def __init__(self):
        n = jax.local_device_count()
        self.params, self.loss = {"w": jnp.ones((n, 4, 4))}, jnp.zeros(n)

    def step(self, x):
        self.params, self.loss = update(self.params, x)
        return self.loss[0]  # want SHD906 "all-reduces"


trainer = Trainer()
print(trainer.step(jnp.ones((jax.local_device_count(), 2, 4))))
params, loss = update(trainer.params, jnp.ones((jax.local_device_count(), 2, 4)))
print(head(params["w"]))
if loss.ndim:
    print(float(loss[-1]))  # want SHD906 "all-reduces"

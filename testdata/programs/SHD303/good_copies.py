"""What is read again was copied before, or belongs to the host, or is the new value under the old name."""
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnums=0)
def step(params, x):
    return jax.tree.map(lambda p: p - x.mean(), params), x.sum()


params = {"w": jnp.ones((4, 4))}
target = jax.tree.map(jnp.copy, params)
snapshot = jax.device_get(params)
losses = []
for x in (jnp.ones(3), jnp.zeros(3)):
    params, loss = step(params, x)
    losses.append(loss)
print(float(target["w"].sum()), float(snapshot["w"].sum()), params["w"].shape, [float(l) for l in losses])

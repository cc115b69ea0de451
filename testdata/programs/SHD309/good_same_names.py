"""A parameter of a function inside of the jitted one has the name of an array outside."""
import jax
import jax.numpy as jnp
import numpy as np

weights = jnp.ones((1024, 1024)) * 0.5


@jax.jit
def step(w, x):
    loss = lambda weights: jnp.mean((x @ weights) ** 2)
    g = jax.grad(loss)(w)
    return w - 0.1 * g, [jnp.sum(weights) for weights in (w, g)]


print(step(weights, jnp.ones((4, 1024)))[0].shape)

import jax.numpy as jnp


def init():
    return {"w": jnp.zeros(2), "b": jnp.zeros(())}


def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)

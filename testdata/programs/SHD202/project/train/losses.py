import jax.numpy as jnp


def mse(params, batch):
    return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)

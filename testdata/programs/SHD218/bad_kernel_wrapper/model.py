import jax
import jax.numpy as jnp

from norm import rms_norm


class Model:
    def __init__(self, width):
        self.width = width

    def init(self):
        return {"scale": jnp.ones((self.width,)), "w": jnp.eye(self.width)}

    def loss(self, params, x):
        h = rms_norm(x, params["scale"])
        return jnp.mean((h @ params["w"]) ** 2)

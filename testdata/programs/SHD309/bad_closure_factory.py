"""The weights are captured by a closure that a factory returns."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def load(width=512):
    w = np.ones((width, width), np.float32)
    return {"up": jax.device_put(w, NamedSharding(mesh, P(None, "model"))), "down": jax.device_put(w, NamedSharding(mesh, P("model")))}


def make_predict(params):
    def predict(x):
        return jnp.tanh(x @ params["up"]) @ params["down"]  # want SHD309 "params"

    return jax.jit(predict)


class Server:
    def __init__(self):
        self.weights = load()["up"]

    def build(self):
        @jax.jit
        def encode(x):
            return x @ self.weights  # want SHD309 "self\.weights"

        return encode


predict = make_predict(load())
print(predict(jnp.ones((4, 512))).shape, Server().build()(jnp.ones((2, 512))).shape)

import jax
import jax.numpy as jnp
import numpy as np

from layout import Layout


class Server:
    batch, length, heads, dim = 4, 64, 8, 16

    def __init__(self):
        self.layout = Layout()
        self._new_cache = jax.jit(lambda: {k: jnp.zeros((self.batch, self.length, self.heads, self.dim)) for k in "kv"})  # want SHD304 "out_shardings"
        self.weights = jax.device_put(np.ones((8, 8, 8, 8), np.float32), self.layout.heads)

    def start(self):
        self.cache = self._new_cache()
        return self.cache


print(len(Server().start()["k"].sharding.device_set))

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))


def sharding(*names):
    return NamedSharding(mesh, PartitionSpec(*names))


class Stages:
    def __init__(self):
        self.first = jax.jit(jnp.sin, out_shardings=sharding("a"))
        self.second = jax.jit(jnp.cos, in_shardings=sharding("a", "b"))

    def __call__(self, x):
        h = self.first(x)
        return self.second(h)  # want SHD307 "P\('a'\).*P\('a', 'b'\)"


print(Stages()(jnp.ones((8, 4))).shape)

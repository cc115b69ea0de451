import jax
import jax.numpy as jnp

from mesh import activations, mesh

jax.set_mesh(mesh)


class Linear:
    def __init__(self, n, m):
        self.w = jnp.ones((n, m))

    def __call__(self, x):
        return jnp.dot(x, self.w, out_sharding=activations)  # want SHD315 "model"


print(jax.jit(Linear(8, 16).__call__)(jnp.ones((4, 8))).shape)

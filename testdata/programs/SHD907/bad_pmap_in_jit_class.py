import jax
import jax.numpy as jnp


class Model:
    def __init__(self):
        self.parallel = jax.pmap(jnp.sin)

    def __call__(self, x):
        return jax.jit(lambda v: self.parallel(v).sum())(x)  # want SHD907 "pmap.*jit"


print(Model()(jnp.ones((8, 2))))

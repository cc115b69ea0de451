import jax
import jax.numpy as jnp

from model import Model

model = Model(width=16)
params = model.init()
x = jnp.ones((8, 16))
print(jax.tree.map(jnp.shape, jax.jit(jax.grad(model.loss))(params, x)))

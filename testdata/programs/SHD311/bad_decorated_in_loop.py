import jax
import jax.numpy as jnp

params = {"w": jnp.ones((4, 4))}
history = []
for step in range(4):

    @jax.jit  # want SHD311 "jit"
    def update(params, x):
        return jax.tree.map(lambda p: p - 0.1 * x.mean(), params)

    params = update(params, jnp.ones((2, 4)))
    history.append(float(params["w"].mean()))
print(history[-1])

import jax.numpy as jnp
import numpy as np

from step import make_step


def batches(n):
    for i in range(n):
        yield np.full((8, 32), i, np.float32)


params = {"w": jnp.ones((32, 32)), "b": jnp.zeros((32,))}
step = make_step(0.1)
for batch in batches(3):
    params = step(params, batch)
print(params["w"].shape)

import jax
import jax.numpy as jnp
import numpy as np

from block import Block

block = Block(16)
params = block.init(jax.random.key(0))
step = jax.jit(block.apply)
print(step(params, jnp.ones((8, 16))).shape)

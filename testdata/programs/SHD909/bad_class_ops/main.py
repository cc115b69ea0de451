import jax
import jax.numpy as jnp

from ops import Kernels

print(jax.jit(Kernels.double)(jnp.ones((8, 2))).shape)

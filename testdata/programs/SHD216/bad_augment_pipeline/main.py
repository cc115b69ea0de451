import jax
import jax.numpy as jnp

from augment import Augment

images = jnp.ones((16, 8, 8, 3))
print(Augment(noise=0.1)(jax.random.key(3), images).shape)

import jax
import jax.numpy as jnp

from ntk import features

theta = jnp.linspace(0.0, 1.0, 5)
print(features(theta, jnp.ones((16, 5)))[:2])

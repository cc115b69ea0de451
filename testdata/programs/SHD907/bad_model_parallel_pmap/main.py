import jax
import jax.numpy as jnp

from replicate import replicated

step = replicated(lambda w, x: w - jax.lax.pmean(x.mean(), "i"))  # want SHD907 "pmap"
print(step(jnp.ones((8,)), jnp.ones((8, 4))).shape)

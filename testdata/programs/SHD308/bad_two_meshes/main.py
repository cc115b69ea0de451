import jax
import jax.numpy as jnp

from workers import ACTOR, LEARNER

obs = ACTOR.put(jnp.ones((8, 4)))
w = LEARNER.put(jnp.ones((4, 4)))
values = jnp.einsum("bi,io->bo", obs, w)  # want SHD308 "device"
print(values.shape)

import jax.numpy as jnp

from agents import improve

actor = {"w": jnp.ones((4, 4))}
target = actor
actor = improve(actor, jnp.ones((2, 4)))
print(float(target["w"].sum()))  # want SHD303 "target"

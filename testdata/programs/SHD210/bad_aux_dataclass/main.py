import jax.numpy as jnp

from evaluation import Evaluator

evaluator = Evaluator()
print(evaluator({"w": jnp.ones((4, 2))}, jnp.ones((16, 4)), jnp.zeros(16, jnp.int32)))

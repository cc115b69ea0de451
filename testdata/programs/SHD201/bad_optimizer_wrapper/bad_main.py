import jax
import jax.numpy as jnp

from distributed import cross_replica
from model import loss

update = cross_replica(lambda params, g: params - 0.1 * g)


@jax.jit
def step(params, x):
    return update(params, jax.grad(loss)(params, x))


print(step(jnp.ones(4), jnp.ones((8, 4))))

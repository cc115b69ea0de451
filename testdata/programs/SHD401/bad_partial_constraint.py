"""The constraint is a partial application kept under a short name."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
pin = functools.partial(jax.lax.with_sharding_constraint, shardings=NamedSharding(mesh, P("data")))


@jax.jit
def loss(w, x):
    h = x @ w
    pin(h)  # want SHD401 "h"
    return jnp.mean(h**2)


print(loss(jnp.ones((4, 4)), jnp.ones((8, 4))))

"""Asks for a change of sharding that the partitioner cannot do in one step, so that it warns."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))


@jax.jit
def step(a):
    a = jnp.cos(a)
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(None, ("x", "y"), None))) + 1


a = jax.device_put(np.ones((32, 32, 32), np.float32), NamedSharding(mesh, P("y", None, "x")))
print("before", file=sys.stderr)
step(a)
print("after", file=sys.stderr)

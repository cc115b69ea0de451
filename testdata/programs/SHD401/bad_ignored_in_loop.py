"""Constraints whose results go nowhere: in a comprehension and in a loop over the parameters."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))


@jax.jit
def step(params, x):
    h = x @ params["w"]
    jax.lax.with_sharding_constraint(h, rows)  # want SHD401 "with_sharding_constraint.*h"
    for name, value in params.items():
        jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P()))  # want SHD401 "with_sharding_constraint.*value"
    return h


print(step({"w": jnp.ones((4, 4))}, jnp.ones((8, 4))).shape)

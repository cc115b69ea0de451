from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
UNCHECKED = {"check_rep": False}


def local(w, x):
    return jax.lax.pmean(jnp.mean((x @ w) ** 2), "data")


mapped = shard_map(local, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), **UNCHECKED)  # want SHD218 "model"


def objective(params, x):
    return mapped(params["w"], x)


print(jax.jit(jax.grad(objective))({"w": jnp.ones((4,))}, jnp.ones((8, 4)))["w"].shape)

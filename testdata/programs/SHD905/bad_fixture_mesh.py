"""A trainer enters its mesh for a whole loop and passes bare specs inside."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def make_mesh(shape=(4, 2)):
    return Mesh(np.array(jax.devices()).reshape(shape), ("data", "model"))


@jax.jit
def step(w, x):
    y = jax.lax.with_sharding_constraint(x @ w, P("data", "model"))
    return w - 0.1 * (x.T @ y)


def train(w, batches):
    with make_mesh() as mesh, contextlib.suppress(KeyboardInterrupt):  # want SHD905 "set_mesh"
        for x in batches:
            w = step(w, x)
    return w, mesh.axis_names


print(train(jnp.ones((8, 8)), [jnp.ones((4, 8))] * 2)[1])

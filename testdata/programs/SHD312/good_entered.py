"""Meshes that are set: by a decorator, by an ExitStack, by a global call, and by jit's own shardings."""
import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def with_mesh(f):
    @functools.wraps(f)
    def wrapped(*args):
        with jax.set_mesh(mesh):
            return f(*args)

    return wrapped


@with_mesh
def place(x):
    return jax.device_put(x, P("data"))


@jax.jit
def constrained(x):
    return jax.lax.with_sharding_constraint(x, P("data"))


with contextlib.ExitStack() as stack:
    stack.enter_context(jax.set_mesh(mesh))
    print(constrained(np.ones(8)).sharding.spec)
print(place(np.ones(8)).sharding.spec)

"""The mesh is set inside of what jit traces, two calls below."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def constrained(x):
    with jax.set_mesh(mesh):  # want SHD313 "set_mesh.*jit"
        return jax.lax.with_sharding_constraint(x, P("data"))


def block(x):
    return constrained(jnp.sin(x)) + 1


print(jax.jit(block)(jnp.ones(8)).shape)

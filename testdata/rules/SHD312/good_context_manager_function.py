"""The context is established by a generator function, a context stack and a method, not by set_mesh in the with statement."""
import contextlib

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("a",), axis_types=(AxisType.Auto,))


@contextlib.contextmanager
def on(mesh):
    with jax.set_mesh(mesh):
        yield mesh


@jax.jit
def f(x):
    return jax.lax.with_sharding_constraint(x, P("a"))


@jax.jit
def g(x):
    return jax.lax.with_sharding_constraint(x, P("a"))


with on(mesh):
    print(f(jnp.ones((8, 2))).sharding)
with contextlib.ExitStack() as stack:
    stack.enter_context(mesh)
    print(g(jnp.ones((8, 2))).sharding)

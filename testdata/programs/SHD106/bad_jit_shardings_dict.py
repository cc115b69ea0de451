"""UNCONSTRAINED in the shardings of jit, given through a dictionary of keywords."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
FREE = P.UNCONSTRAINED
free_cols = NamedSharding(mesh, P("data", FREE))
kwargs = {"in_shardings": (NamedSharding(mesh, P()), free_cols)}


@functools.partial(jax.jit, **kwargs)  # want SHD106 "in_shardings"
def f(w, x):
    return x @ w


@functools.partial(jax.jit, out_shardings=free_cols)  # want SHD106 "out_shardings"
def g(x):
    return x * 2


print(f(jnp.ones((4, 4)), jnp.ones((8, 4))))
print(g(jnp.ones((8, 4))))

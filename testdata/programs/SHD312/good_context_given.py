"""Contexts by set_mesh, a decorator, an exit stack and a fixture."""
import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def with_mesh(f):
    @functools.wraps(f)
    def inner(*args, **kw):
        with jax.set_mesh(mesh):
            return f(*args, **kw)

    return inner


@with_mesh
def put(x):
    return jax.device_put(x, P("data"))


@jax.jit
def constrain(x):
    return jax.lax.with_sharding_constraint(x, P("data"))


print(put(jnp.ones(8)))
with contextlib.ExitStack() as stack:
    stack.enter_context(jax.set_mesh(mesh))
    print(constrain(jnp.ones(8)))
with mesh:
    print(constrain(jnp.ones((8, 2))))
shard = lambda s: NamedSharding(mesh, s)
print(jax.jit(lambda x: x, out_shardings=jax.tree.map(shard, P("data"), is_leaf=lambda s: isinstance(s, P)))(jnp.ones(8)))


def library(x):
    return jax.lax.with_sharding_constraint(x, P("tensor"))

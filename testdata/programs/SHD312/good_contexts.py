"""The context is set by a caller, a decorator, an ExitStack, a global set_mesh, or a region."""
import contextlib
from functools import partial, wraps

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def with_mesh(fn):
    @wraps(fn)
    def inner(*args, **kwargs):
        with jax.set_mesh(mesh):
            return fn(*args, **kwargs)

    return inner


def shard(x, *names):
    return jax.lax.with_sharding_constraint(x, P(*names))


@with_mesh
def decorated(x):
    return jax.jit(lambda v: shard(v, "data"))(x)


@contextlib.contextmanager
def environment(m=mesh):
    with jax.set_mesh(m):
        yield


class Session:
    def __init__(self):
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        self.stack.enter_context(jax.set_mesh(mesh))
        return self

    def __exit__(self, *exc):
        self.stack.close()

    def run(self, x):
        return jax.jit(lambda v: shard(v, "data", "model"))(x)


def maybe(x, active=None):
    """Constrains only where a mesh is there."""
    if jax.sharding.get_abstract_mesh().empty:
        return x
    return jax.lax.with_sharding_constraint(x, P("data"))


def library(x):
    return shard(x, "data")


print(decorated(jnp.ones((8, 2))).sharding.spec)
with environment():
    print(jax.jit(library)(jnp.ones((8, 2))).sharding.spec, jax.device_put(jnp.ones(8), P("data")).shape)
with Session() as session:
    print(session.run(jnp.ones((8, 2))).sharding.spec)
print(jax.jit(maybe)(jnp.ones(3)).shape)

"""The axis is optional; library code has callers elsewhere."""
from typing import Callable, Optional

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def mean(x, axis_name: Optional[str] = None):
    x = jnp.mean(x)
    if axis_name is not None:
        x = lax.pmean(x, axis_name)
    return x


def library_sum(x):
    return lax.psum(x, "tensor")


def apply(fn: Callable, *args, **kw):
    return jax.shard_map(fn, mesh=mesh, in_specs=P(("x", "y")), out_specs=P(), **kw)(*args)


print(jax.jit(mean)(jnp.ones(4)))
print(apply(lambda v: mean(v, ("x", "y")), jnp.ones(8)))
print(jax.vmap(lambda v: lax.psum(v, "k"), axis_name="k")(jnp.ones(3)))


@jax.jit
def nested(x):
    return jax.vmap(jax.vmap(lambda v: lax.psum(v, ("a", "b")), axis_name="a"), axis_name="b")(x)


print(nested(jnp.ones((2, 3))))

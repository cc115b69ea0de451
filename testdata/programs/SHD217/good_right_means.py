"""Sums reduced before dividing; counts that are the same on all; shapes."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("d"), P("d"), P()), out_specs=P())
def f(x, mask, scale):
    n, s = lax.psum((mask.sum(), (x * mask).sum()), "d")
    a = s / jnp.maximum(n, 1)
    b = lax.pmean(x.sum() / x.size, "d")
    c = lax.pmean(x.sum() / x.shape[0], "d")
    d = lax.pmean(x.sum() / scale.sum(), "d")
    total = lax.psum(mask.sum(), "d")
    e = lax.pmean(x.sum() / total, "d")
    g = lax.pmean((x / jnp.linalg.norm(x)).sum(), "d")
    h = lax.pmean(x.sum() / len(mask), "d")
    return a + b + c + d + e + g + h


print(f(jnp.ones((8, 2)), jnp.ones((8, 2)), jnp.ones(3)))

"""Keyword arrays are fine where no wrapper stands between: jit and plain functions."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

jax.set_mesh(jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,)))


@jax.jit
def total(x, *, weights):
    return (x * weights).sum()


ranked = auto_axes(jnp.sort, out_sharding=P("x"))


def top(x, *, scale):
    return ranked(x * scale)


x = reshard(jnp.arange(16.0), P("x"))
print(total(x, weights=x), top(x, scale=x).sharding.spec, ranked(x, axis=0).shape)

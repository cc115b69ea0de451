"""A sharded array by keyword to an auto_axes function."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, auto_axes

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Explicit,))
jax.set_mesh(mesh)


@functools.partial(auto_axes, out_sharding=P("d"))
def add(x, bias=None):
    return x + bias


x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("d")))
extra = {"bias": x}
try:
    print(add(x, bias=x))  # want SHD316 "bias"
except Exception as e:
    print(type(e), str(e)[:100])
print(add(x, **extra))  # want SHD316 "bias"

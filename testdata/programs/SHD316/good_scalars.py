import jax
import jax.numpy as jnp
from functools import partial
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

jax.set_mesh(jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,)))
blend = auto_axes(lambda a, b, weight=0.5: a * weight + b, out_sharding=P("x"))
x = reshard(jnp.arange(16.0), P("x"))
print(blend(x, x, weight=0.25).shape)
plain = lambda a, b: a + b
print(plain(x, b=x).shape)

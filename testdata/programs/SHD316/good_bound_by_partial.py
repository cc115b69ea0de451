import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

jax.set_mesh(jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,)))


def filtered(x, taps, *, axis=0, bias=None):
    y = jnp.cumsum(x, axis=axis) * taps.sum()
    return y if bias is None else y + bias


taps = np.ones(3, np.float32)
f = auto_axes(functools.partial(filtered, axis=0), out_sharding=P("x"))
x = reshard(jnp.arange(16.0), P("x"))
print(f(x, taps, bias=2.0).sharding.spec, f(x, taps=taps).sharding.spec)

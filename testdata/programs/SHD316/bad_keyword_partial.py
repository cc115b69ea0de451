from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, reshard

jax.set_mesh(jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,)))


@partial(auto_axes, out_sharding=P("x"))
def blend(a, b, weight=0.5):
    return a * weight + jnp.sort(b)


def place(n):
    return reshard(jnp.arange(float(n)), P("x"))


left, right = place(16), place(16)
print(blend(left, b=right, weight=0.25).shape)  # want SHD316 "b"

"""One spec missing for a method, through a partial, and a list of specs."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")
smap = partial(jax.shard_map, mesh=mesh)


class Layer:
    def apply(self, params, x, mask):
        return (x @ params) * mask

    def build(self):
        return smap(self.apply, in_specs=(P(), D), out_specs=D)  # want SHD209 "2.*3|3.*2"


def scaled(scale, x):
    return scale * x


fixed = smap(partial(scaled, 2.0), in_specs=(P(), D), out_specs=D)  # want SHD209 "2.*1|1.*2"
listed = smap(scaled, in_specs=[P(), D], out_specs=D)  # want SHD209 "in_specs"
for call in (lambda: Layer().build()(jnp.ones((4, 4)), jnp.ones((8, 4)), jnp.ones((8, 1))), lambda: fixed(jnp.ones(8)), lambda: listed(1.0, jnp.ones(8))):
    print(call().shape)

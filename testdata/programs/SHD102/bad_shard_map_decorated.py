"""in_specs and out_specs from a helper."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
ROW, COL = mesh.axis_names


def tile(row=ROW, col=ROW):
    return P(row, col)  # want SHD102 "data"


@partial(jax.shard_map, mesh=mesh, in_specs=(tile(), P()), out_specs=P(ROW))
def scale(block, factor):
    return block * factor


print(scale(jnp.ones((16, 16)), jnp.ones(())))

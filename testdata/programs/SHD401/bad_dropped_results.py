from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("data"))
constrain = partial(lax.with_sharding_constraint, shardings=rows)


@jax.jit
def block(x, train=True):
    h = jnp.tanh(x)
    if train:
        constrain(h)  # want SHD401 "h"
    return h


def place(params):
    for name, w in params.items():
        jax.device_put(w, rows)  # want SHD401 "w"
    return params


print(block(jnp.ones((8, 4))).shape, place({"w": jnp.ones((8, 2))})["w"].shape)

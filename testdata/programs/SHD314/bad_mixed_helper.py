import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, PartitionSpec as P

TYPES = {"data": AxisType.Explicit, "model": AxisType.Auto}
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), tuple(TYPES), axis_types=tuple(TYPES.values()))


def act(x, *, axis="data"):
    return jax.lax.with_sharding_constraint(x, P(axis, None))  # want SHD314 "data.*Explicit"


@functools.partial(jax.jit, static_argnames=("train",))
def f(x, train=True):
    y = jax.lax.with_sharding_constraint(x, P(None, "model"))
    return act(y) if train else y


with jax.set_mesh(mesh):
    print(f(jnp.ones((8, 4))).shape)

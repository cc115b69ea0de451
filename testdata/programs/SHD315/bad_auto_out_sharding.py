import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

AXES = ("data", "model")
mesh = jax.make_mesh((4, 2), AXES, axis_types=(AxisType.Auto,) * len(AXES))
ROW = P(AXES[0])


def dense(x, w, out=ROW):
    return jnp.einsum("bi,io->bo", x, w, out_sharding=out)  # want SHD315 "data"


@jax.jit
def forward(x, w):
    return dense(x, w)


with jax.set_mesh(mesh):
    print(forward(jnp.ones((8, 4)), jnp.ones((4, 2))).shape)

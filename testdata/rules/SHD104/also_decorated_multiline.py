import functools

from jax.experimental.mesh_utils import create_device_mesh

from jax import jit, lax
from jax import numpy as jnp
import jax.sharding as shd

mesh = shd.Mesh(create_device_mesh((8,)), ("x",))
rows = shd.NamedSharding(mesh, shd.PartitionSpec("x"))


@functools.partial(jit, in_shardings=(rows, None))
def add(
    a,
    b,
):
    return a + b


print(add(  # want SHD104 "dimension 0 of the array has size 12, which does not divide "
    jnp.ones(12),
    1.0,
).shape)

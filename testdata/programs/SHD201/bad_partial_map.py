"""Only one axis is manual, and the body asks for the other."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

AXES = ("data", "model")
mesh = jax.make_mesh((4, 2), AXES, axis_types=(AxisType.Auto,) * 2)


def rank(axes=AXES):
    index = 0
    for name in axes:
        index = index * lax.axis_size(name) + lax.axis_index(name)  # want SHD201 "axis_size.*model" # want SHD201 "axis_index.*model"
    return index


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names={"data"}, check_vma=False)
def shift(x):
    return x + rank()


print(shift(jnp.ones((8, 4))))

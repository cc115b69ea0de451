"""A loop over axes reduces more axes than the value differs along."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))


def largest(block):
    m = jnp.abs(block).max()
    for name in mesh.axis_names:
        m = jax.lax.pmax(m, name)  # want SHD205 "y"
    return m


run = jax.shard_map(largest, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec())
print(run(jnp.arange(16.0)))

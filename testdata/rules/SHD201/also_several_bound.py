"""Two axes are manual, the one that is reduced over is not."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((2, 2, 2), ("dp", "tp", "pp"), axis_types=(AxisType.Auto,) * 3)


def total(x):
    return jax.lax.psum(x, "pp")  # want SHD201 "psum over 'pp', but only 'dp', 'tp' are bound here"


f = jax.jit(jax.shard_map(total, mesh=mesh, in_specs=P("dp", "tp"), out_specs=P("dp", "tp"), axis_names={"dp", "tp"}))
print(f(jnp.ones((4, 4))).shape)

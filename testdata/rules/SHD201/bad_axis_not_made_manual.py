"""The axis exists, but axis_names leaves it to the compiler: another axis is no replacement."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("pipe", "data"), axis_types=(AxisType.Auto,) * 2)


def stage(w, x):
    return jax.lax.psum(x @ w[0], "data")[None]  # want SHD201 "psum over 'data', but only 'pipe' is bound here"


f = jax.jit(jax.shard_map(stage, mesh=mesh, in_specs=(P("pipe"), P()), out_specs=P("pipe"), axis_names={"pipe"}))
print(f(jnp.ones((2, 4, 4)), jnp.ones((8, 4))).shape)

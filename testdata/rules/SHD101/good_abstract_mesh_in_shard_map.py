"""Inside shard_map get_abstract_mesh returns the mesh of the shard_map, whatever the context outside."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("pipe", "data"), axis_types=(AxisType.Auto,) * 2)


def stage(w, x):
    y = jnp.tanh(x @ w[0])
    return jax.lax.with_sharding_constraint(y, NamedSharding(jax.sharding.get_abstract_mesh(), P("data")))[None]


f = jax.jit(jax.shard_map(stage, mesh=mesh, in_specs=(P("pipe"), P()), out_specs=P("pipe"), axis_names={"pipe"}))
print(f(jnp.ones((2, 4, 4)), jnp.ones((8, 4))).shape)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def layer(x, constrain=True):
    h = jnp.tanh(x)
    return jax.lax.with_sharding_constraint(h, P(None, "model")) if constrain else h


part = jax.shard_map(layer, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})
full = jax.shard_map(lambda x: layer(x, constrain=False), mesh=mesh, in_specs=P("data"), out_specs=P("data"))
outside = jax.jit(lambda x: jax.lax.with_sharding_constraint(full(x), NamedSharding(mesh, P("data", None))))
print(jax.jit(part)(jnp.ones((8, 4))).shape, outside(jnp.ones((8, 4))).shape)

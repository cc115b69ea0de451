import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("outer", "inner"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def ulysses(x):
    y = jax.lax.with_sharding_constraint(jnp.cos(x), NamedSharding(mesh, P("outer", None, "inner")))
    return jax.lax.with_sharding_constraint(y * 3, NamedSharding(mesh, P("outer", "inner", None)))

x = jax.device_put(np.ones((4, 512, 512), np.float32), NamedSharding(mesh, P("outer", "inner", None)))
jax.block_until_ready(ulysses(x))

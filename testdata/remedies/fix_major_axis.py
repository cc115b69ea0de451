import jax, jax.numpy as jnp, numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 4), ("outer", "inner"), axis_types=(AxisType.Auto,) * 2)

@jax.jit
def step(x):
    y = jnp.sin(x) * 2.0
    y = jax.lax.with_sharding_constraint(y, NamedSharding(mesh, P(None, "inner")))
    return y @ jnp.ones((512, 64), x.dtype)

x = jax.device_put(np.ones((1024, 512), np.float32), NamedSharding(mesh, P(("inner", "outer"), None)))
result = step(x)

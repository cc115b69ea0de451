import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

jax.set_mesh(jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2))
x = jax.device_put(jnp.ones((8, 16)), P("data", "model"))
# dimensions of one row before a sharded one change nothing
print(x.reshape(8, 1, 16).sharding.spec, x.reshape(1, 8, 16).sharding.spec, x.reshape(1, 8, 1, 16, 1).sharding.spec)

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("data"))


class Buffer:
    def device_put(self, x, where):
        self.x = jax.device_put(x, where)


def helper(x):
    return jax.lax.with_sharding_constraint(x, rows)


buf = Buffer()
buf.device_put(jnp.ones(8), rows)
jax.device_put(buf.x, rows).block_until_ready()
params = {}
params["w"] = jax.device_put(jnp.ones(8), rows)
(y := jax.device_put(jnp.ones(8), rows))
_ = [jax.device_put(jnp.ones(8), rows) for _ in range(2)]
print(jax.jit(helper)(y).shape, params["w"].shape)

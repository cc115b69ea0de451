import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
rows, same = NamedSharding(mesh, P("data")), NamedSharding(mesh, P("data", None))
full = NamedSharding(mesh, P())
f = jax.jit(lambda x, y: x + y, in_shardings=(same, None))
x = jax.device_put(np.ones((8, 4), np.float32), rows)
print(f(x, jax.device_put(x, full)).shape, f(jnp.ones((8, 4)), 1.0).shape, f(np.ones((8, 4), np.float32), x).shape)
moved = jax.device_put(jax.device_put(x, full), rows)
print(f(moved, moved).shape)
g = jax.jit(lambda t: t["a"], in_shardings=({"a": rows, "b": full},))
print(g({"a": x, "b": jax.device_put(jnp.ones(3), full)}).shape)
h = jax.jit(lambda x: jax.device_put(x, full) * 2)
print(h(x).shape)

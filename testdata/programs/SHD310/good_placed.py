import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
step = jax.jit(lambda w, x: w - 0.1 * (x.T @ (x @ w)))
pinned = jax.jit(lambda w, x: w - 0.1 * (x.T @ (x @ w)), in_shardings=(full, rows), out_shardings=full)
w = jax.device_put(jnp.ones((4, 4)), full)
v = jnp.ones((4, 4))
u = jnp.ones((4, 4))
for _ in range(3):
    x = jax.device_put(np.ones((8, 4), np.float32), rows)
    w = step(w, x)
    v = pinned(v, x)
for _ in range(3):
    u = step(u, jnp.ones((8, 4)))
print(w.shape, v.shape, u.shape)

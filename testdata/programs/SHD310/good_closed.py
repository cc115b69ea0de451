"""States that are placed, made by jit with shardings, or never meet a sharded argument."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())


@jax.jit
def step(w, x):
    return w - 0.1 * (x.T @ (x @ w))


@jax.jit
def local_step(w, x):
    return w - 0.1 * x.mean()


w = jax.jit(lambda: jnp.ones((4, 4)), out_shardings=full)()
v = jnp.ones((4, 4))
for _ in range(3):
    w = step(w, jax.device_put(np.ones((8, 4), np.float32), rows))
    v = local_step(v, np.ones((8, 4), np.float32))
print(step._cache_size(), local_step._cache_size())

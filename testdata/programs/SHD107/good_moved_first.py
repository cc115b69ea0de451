"""Disjoint meshes, with the value moved between them; the same order in another shape."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
stages = [Mesh(d, ("d",)) for d in np.split(devices, 2)]
flat = Mesh(devices, ("all",))
grid = Mesh(devices.reshape(2, 4), ("r", "c"))


@jax.jit
def layer(w, x):
    return x * w


x = jnp.ones(8)
for mesh in stages:
    sharding = NamedSharding(mesh, P("d"))
    x = layer(jax.device_put(jnp.ones(8), sharding), jax.device_put(x, sharding))
print(x)
a = jax.device_put(jnp.ones(8), NamedSharding(flat, P("all")))
b = jax.device_put(jnp.ones(8), NamedSharding(grid, P(("r", "c"))))
print(layer(a, b))
back = Mesh(devices[::-1][::-1], ("all",))
print(layer(a, jax.device_put(jnp.ones(8), NamedSharding(back, P("all")))))

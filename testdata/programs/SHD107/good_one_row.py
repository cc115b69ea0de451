"""With one process the grid is one row, and its transpose has the same order."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

grid = np.array(jax.devices()).reshape(jax.process_count(), -1)
mesh = Mesh(grid, ("host", "chip"))
swapped = Mesh(grid.T, ("chip", "host"))
a = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("chip")))
b = jax.device_put(jnp.ones((8, 8)), NamedSharding(swapped, P("chip")))
print(jax.jit(jnp.add)(a, b))

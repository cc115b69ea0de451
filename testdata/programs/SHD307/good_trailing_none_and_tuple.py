"""Other spellings of one layout."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
one = Mesh(np.array(jax.devices()).reshape(8, 1), ("data", "model"))
f = jax.jit(lambda x: x + 1, in_shardings=NamedSharding(mesh, P("data", None, None)))
print(f(jax.device_put(np.ones((8, 2, 2)), NamedSharding(mesh, P(("data",))))).shape)
g = jax.jit(lambda x: x + 1, in_shardings=NamedSharding(one, P("data", "model")))
print(g(jax.device_put(np.ones((8, 2)), NamedSharding(one, P("data")))).shape)

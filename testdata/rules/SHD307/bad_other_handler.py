"""A handler for another error does not make the call right."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
step = jax.jit(lambda x: x * 2, in_shardings=rows)
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P()))
try:
    y = step(x)  # want SHD307 "P\(\).*P\('data'\)"
except KeyboardInterrupt:
    raise
print(y.sum())

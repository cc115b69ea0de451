import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding

from specs import ROWS, needs_gather

mesh = Mesh(np.array(jax.devices()), ("rows",))
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, ROWS))
print(needs_gather(x))

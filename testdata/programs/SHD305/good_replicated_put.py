"""A replicated placement needs the whole array on each device anyway."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
table = jax.device_put(jnp.ones((4096, 512)), NamedSharding(mesh, P()))
one = jax.device_put(jnp.ones((4096, 512)), jax.devices()[1])
ids = jax.device_put(jnp.arange(64), NamedSharding(mesh, P("data")))
print(table.shape, one.shape, ids.shape)

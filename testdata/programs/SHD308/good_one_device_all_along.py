"""A mesh of one device and the same device by itself are one device set."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

first = jax.devices()[0]
mesh = Mesh(np.array([first]), ("data",))
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data")))
bias = jax.device_put(jnp.ones(4), first)
print((x + bias).shape, jax.jit(jnp.add)(x, bias).shape)

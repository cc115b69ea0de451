import jax
import jax.numpy as jnp

from meshes import MESHES, sharding

table = jax.device_put(jnp.ones((16, 8)), sharding("serve", "tp", None))
tokens = jax.device_put(jnp.ones((8, 16)), sharding("load", "dp"))
forward = jax.jit(lambda x, t: x @ t)
print(forward(tokens, table).shape, list(MESHES))  # want SHD107 "mesh"

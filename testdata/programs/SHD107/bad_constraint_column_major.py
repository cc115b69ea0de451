"""The decode step constrains its cache on a mesh whose grid was filled column by column."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

ids = jax.devices()
prefill_mesh = Mesh(np.array(ids).reshape(2, 4), ("batch", "heads"))
decode_mesh = Mesh(np.array(ids).reshape(4, 2).transpose(1, 0), ("batch", "heads"))
CACHE = P("batch", "heads")


def constrain(mesh, x, spec=CACHE):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec))  # want SHD107 "decode_mesh"


@partial(jax.jit, donate_argnums=0)
def decode(cache, key):
    cache = constrain(decode_mesh, cache + key)
    return cache


cache = jax.device_put(jnp.zeros((4, 8, 16)), NamedSharding(prefill_mesh, CACHE))
print(decode(cache, jnp.ones((4, 8, 16))).shape)

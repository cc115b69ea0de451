"""Warm-up calls that are only there to wait for or to fail early."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
jax.block_until_ready(jax.device_put(np.ones(8), rows))
assert jax.device_put(np.ones(8), rows).is_fully_addressable
_ = jax.device_put(np.zeros(8), rows)
try:
    jax.device_put(np.ones(7), rows)
except ValueError as e:
    print(type(e).__name__)

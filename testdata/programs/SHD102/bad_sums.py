"""Specs that are put together by addition."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
BATCH = P("data")
twice = P("model", None) + P("model")  # want SHD102 "model"
longer = BATCH + (None, "data")  # want SHD102 "data"
fine = BATCH + P("model")
for spec in (fine, longer, twice):
    print(jax.device_put(jnp.ones((8, 8, 8)), NamedSharding(mesh, spec)).sharding)

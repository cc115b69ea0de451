"""Repeated names that never stand in one spec."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def kernel(transposed=False):
    spec = P("data", "model")
    return P(*reversed(spec)) if transposed else spec


def unique(*axes):
    seen = []
    return P(*[a if a not in seen and not seen.append(a) else None for a in axes])


print(jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, kernel(True))).sharding.spec)
print(jax.device_put(np.ones((8, 8), np.float32), NamedSharding(mesh, unique("data", "data"))).sharding.spec)

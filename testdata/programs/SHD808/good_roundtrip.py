"""Moved back before it is used, in three ways; scalars may meet host arrays."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
dev = NamedSharding(mesh, P("data"))
host = dev.with_memory_kind("pinned_host")
x = jax.device_put(np.ones((8, 4), np.float32), dev)
stash = jax.device_put(x * 2, host)
fetch = jax.jit(lambda a: a, in_shardings=host, out_shardings=dev)
print((fetch(stash) + x).sum(), (jax.device_put(stash, dev) + x).sum())


@jax.jit
def use(s, x):
    s = jax.device_put(s, jax.memory.Space.Device)
    return s + x


print(use(stash, x).sum(), np.asarray(stash).sum())

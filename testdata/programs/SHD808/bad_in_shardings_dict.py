"""in_shardings say device memory for the cache that was offloaded."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def layout(kind=None):
    return NamedSharding(mesh, P("data"), memory_kind=kind)


options = dict(in_shardings=(layout("device"), layout("device")), out_shardings=layout("device"))
attend = jax.jit(lambda cache, q: cache * q, **options)  # want SHD808 "cache.*pinned_host"
cache = jax.device_put(np.ones((8, 4), np.float32), layout(kind="pinned_host"))
q = jax.device_put(np.ones((8, 4), np.float32), layout("device"))
print(attend(cache, q).shape)  # want SHD808 "pinned_host"

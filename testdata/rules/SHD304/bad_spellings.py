"""The same in other spellings."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def build():
    mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
    cols = NamedSharding(mesh, P(None, "model"))
    x = jax.device_put(np.ones((8, 16), np.float32), NamedSharding(mesh, P("data")))

    @jax.jit  # want SHD304 "the arrays that this jit makes depend on no sharded argument"
    def init(key):
        return jax.random.normal(key, (16, 32))

    w = init(jax.random.key(0))
    v = jax.device_put(np.ones((4, 4), np.float32), cols)
    return x, w, v


x, w, v = build()
print(w.sharding)

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def mesh_of(names, shape, devices=None):
    devices = jax.devices() if devices is None else devices
    return Mesh(np.asarray(devices).reshape(shape), names)


outer = mesh_of(("data", "model"), (4, 2))
inner = mesh_of(("data", "seq", "model"), (2, 2, 2), list(outer.devices.flat))
twice = mesh_of(("all",), -1, jax.devices()[::-1][::-1])
w = jax.device_put(jnp.ones((8, 8)), NamedSharding(outer, P("data", "model")))
x = jax.device_put(jnp.ones((8, 8)), NamedSharding(inner, P(("data", "seq"))))
y = jax.device_put(jnp.ones((8, 8)), NamedSharding(twice, P("all")))
print(jax.jit(lambda w, x, y: x @ w + y)(w, x, y).shape)

"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def train(steps):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    step = jax.jit(lambda p, o, x: ({"w": p["w"] - (x.T @ x)}, o + 1))
    params, opt = {"w": jnp.ones((4, 4))}, jnp.zeros(())
    for _ in range(steps):
        x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("data")))
        params, opt = step(params, opt, x)  # want SHD310 "params enters the first step without a sharding and leaves i"
    return step._cache_size(), params


def init():
    return {"w": jnp.ones((4, 4))}


def train2(mesh, state):
    step = jax.jit(lambda p, x: {"w": p["w"] - (x.T @ x)})
    for _ in range(3):
        x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, P("data")))
        state = step(state, x)  # want SHD310 "state enters the first step without a sharding and leaves it"
    return step._cache_size()


print(train(3)[0], train2(Mesh(np.array(jax.devices()), ("data",)), init()))

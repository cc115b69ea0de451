"""The same in other spellings."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import device_put as put
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def make():
    rows = NamedSharding(mesh, P("data"))

    @partial(jax.jit, in_shardings=(rows, NamedSharding(mesh, P("model"))))
    def f(x, y):
        return x + y

    return f


f = make()
x = put(jnp.ones((8, 4)), NamedSharding(mesh, P(None, "model")))
y = put(jnp.ones((8, 4)), NamedSharding(mesh, P("model")))
print(f(x, y).sum())  # want SHD307 "x is placed as P\(None, \'model\'\), but in_shardings asks"
g = jax.jit(lambda tree: tree["a"] * 2, in_shardings=NamedSharding(mesh, P("data")))
print(g({"a": put(jnp.ones((8, 4)), NamedSharding(mesh, P()))}).sum())  # want SHD307 "the leaf \[\'a\'\] is placed as P\(\), but in_shardings ask"
h = jax.jit(lambda tree: tree["a"] * 2, in_shardings=({"a": NamedSharding(mesh, P("data"))},))
print(h({"a": put(jnp.ones((8, 4)), NamedSharding(mesh, P()))}).sum())  # want SHD307 "the leaf \[\'a\'\] is placed as P\(\), but in_shardings ask"

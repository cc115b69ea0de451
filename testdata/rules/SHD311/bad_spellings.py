"""The same in other spellings."""
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))


def f(a, b):
    return a + b


def run(n, k):
    x = jnp.ones(8)
    for i in range(n):
        for j in range(k):
            x = jax.jit(partial(f, b=1.0))(x)  # want SHD311 "jax\.jit of a new function object in a loop traces and compi"
            x = jax.device_put(x, NamedSharding(mesh, P("x")))  # want SHD311 "NamedSharding is built in every iteration"
    return x


while True:
    z = jax.jit(lambda q: q + 1)(jnp.ones(3)); print(z)  # want SHD311 "jax\.jit of a new function object in a loop traces and compi"
    break
print(run(2, 2))

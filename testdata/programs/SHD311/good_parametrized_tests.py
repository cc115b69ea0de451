"""Each test case compiles its own function once; layouts are compared in a loop of a test."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def test_layouts():
    for spec in (P("data"), P(None, "model"), P("data", "model")):
        x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(mesh, spec))
        assert x.sharding.spec == spec


def build(n):
    fns = []
    for i in range(n):
        fns.append(jax.jit(lambda x, i=i: x + i))
    return fns


test_layouts()
print([f(jnp.ones(2)) for f in build(2)])

"""Code from before PartitionSpec stopped being a tuple."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def flatten(spec):
    if isinstance(spec, tuple):  # want SHD110 "tuple"
        return list(spec)
    return [spec]


def replicated(x):
    return x.sharding.spec == ()  # want SHD110 "tuple"


def same(a):
    return P("data") == P("data", None)  # want SHD110 "None"


x = jax.device_put(jnp.ones((8, 2)), NamedSharding(mesh, P("data", None)))
print(flatten(P("data", None)), replicated(x), same(x), x.sharding.spec == ("data", None))  # want SHD110 "tuple"

"""Specs are compared with tuples in the bookkeeping of a checkpoint."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
EXPECTED = {"w": ("data", None), "b": ()}


def mismatched(tree):
    return [name for name, x in tree.items() if x.sharding.spec != EXPECTED[name]]  # want SHD110 "tuple"


tree = {
    "w": jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data", None))),
    "b": jax.device_put(jnp.ones((4,)), NamedSharding(mesh, P())),
}
print(mismatched(tree))

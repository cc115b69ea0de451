"""A test helper of a trainer that compares layouts of a whole tree."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
EXPECTED = {"wi": ("data", "model"), "bias": (None,)}
SPECS = {"wi": P("data", "model"), "bias": P(None)}


def wrong_leaves(params):
    return [
        name
        for name, leaf in params.items()
        if leaf.sharding.spec != EXPECTED[name]  # want SHD110 "tuple"
    ]


params = {k: jax.device_put(jnp.ones((8, 8) if k == "wi" else (8,)), NamedSharding(mesh, s)) for k, s in SPECS.items()}
print(wrong_leaves(params))

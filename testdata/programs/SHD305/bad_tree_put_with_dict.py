"""Every parameter is initialized on device 0 and then spread by a dictionary of shardings."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

VOCAB, DIM = 8192, 512
mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("fsdp", "tp"))
SPECS = {"embed": P("fsdp", "tp"), "out": P("tp", "fsdp"), "norm": P()}


def init(key):
    a, b = jax.random.split(key)
    return {
        "embed": jax.random.truncated_normal(a, -2, 2, (VOCAB, DIM)) / math.sqrt(DIM),
        "out": jax.random.normal(b, (DIM, VOCAB)),
        "norm": jnp.ones((DIM,)),
    }


shardings = {name: NamedSharding(mesh, spec) for name, spec in SPECS.items()}
params = jax.device_put(init(jax.random.key(0)), shardings)  # want SHD305 "out_shardings"
print(jax.tree.map(lambda p: p.sharding.spec, params))

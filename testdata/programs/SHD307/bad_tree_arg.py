"""One leaf of the parameters has another layout than in_shardings say."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Params(NamedTuple):
    up: jax.Array
    down: jax.Array


mesh = Mesh(np.array(jax.devices()), ("tp",))
col, row, full = (NamedSharding(mesh, s) for s in (P(None, "tp"), P("tp"), P()))


@jax.jit
def init(key):
    return Params(jax.random.normal(key, (16, 64)), jax.random.normal(key, (64, 16)))


placed = Params(*(jax.device_put(p, s) for p, s in zip((np.ones((16, 64)), np.ones((64, 16))), (col, col))))
mlp = jax.jit(lambda p, x: jnp.tanh(x @ p.up) @ p.down, in_shardings=(Params(up=col, down=row), full))
print(mlp(placed, np.ones((4, 16))).shape)  # want SHD307 "P\(None, 'tp'\).*P\('tp'"

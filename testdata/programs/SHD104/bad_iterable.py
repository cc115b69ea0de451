"""Batches come out of an object that can be iterated over, and their size does not divide."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Shapes:
    rows: int = 30
    width: int = 4

    @property
    def per_step(self):
        return self.rows // 3


class Loader:
    def __init__(self, shapes=Shapes()):
        self.shape = (shapes.per_step, shapes.width)

    def __iter__(self):
        for _ in range(2):
            yield np.zeros(self.shape, np.float32)


mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("dp", "tp"))
for batch in Loader():
    print(jax.device_put(batch, NamedSharding(mesh, P(None, "tp"))).shape)
    print(jax.device_put(batch, NamedSharding(mesh, P("dp"))).shape)  # want SHD104 "10.*4"

"""Everything of jax.sharding at once, and names that only the configuration knows."""
import dataclasses

import jax
import jax.numpy as jnp
from jax.sharding import *


@dataclasses.dataclass(frozen=True)
class Layout:
    batch: str = "data"
    embed: str = "model"
    heads: str = "tensor"


def build_mesh(shape=(4, 2)):
    return jax.make_mesh(shape, ("data", "model"), axis_types=(AxisType.Auto,) * len(shape))


layout = Layout()
mesh = build_mesh()
q = jnp.ones((8, 4, 16))
q = jax.device_put(q, NamedSharding(mesh, PartitionSpec(layout.batch, layout.heads)))  # want SHD101 "tensor"
print(q.sharding)

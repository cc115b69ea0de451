import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec

MESH = Mesh(np.array(jax.devices()), ("data",))


@jax.jit
def forward(x):
    return jax.lax.with_sharding_constraint(x * 2, PartitionSpec("data"))

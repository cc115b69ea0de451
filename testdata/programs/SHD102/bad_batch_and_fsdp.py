"""The batch axes come from the configuration, and hold the axis of the embedding already."""
import enum

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Axis(str, enum.Enum):
    DATA = "data"
    FSDP = "fsdp"
    TENSOR = "tensor"


BATCH = tuple(a.value for a in (Axis.DATA, Axis.FSDP))
mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), [a.value for a in Axis])


def activation(*trailing):
    return NamedSharding(mesh, P(BATCH, None, *trailing))


@jax.jit
def embed(table, ids):
    x = jnp.take(table, ids, axis=0)
    return jax.lax.with_sharding_constraint(x, activation(Axis.FSDP.value))  # want SHD102 "fsdp"


print(embed(jnp.ones((16, 8)), jnp.zeros((8, 4), jnp.int32)).shape)

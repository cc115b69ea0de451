"""One layout for every leaf of the state, the step counter among them."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    step: jax.Array
    params: dict
    ema: dict


mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
FSDP = NamedSharding(mesh, P("fsdp"))


def create(width):
    params = {"w": jnp.ones((width, width)), "b": jnp.zeros((width,))}
    return State(step=jnp.int32(0), params=params, ema=params)


state = create(64)
state = jax.tree.map(lambda leaf: jax.device_put(leaf, FSDP), state)  # want SHD103 "rank 0"
print(state.step)

"""States as a NamedTuple, a registered dataclass and a struct of Flax, each with a leaf of lower rank."""
import dataclasses
from typing import NamedTuple

import flax.struct
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data", None))


class Pair(NamedTuple):
    inputs: jax.Array
    labels: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Batch:
    inputs: jax.Array
    labels: jax.Array
    name: str = dataclasses.field(default="train", metadata=dict(static=True))


@flax.struct.dataclass
class State:
    step: jax.Array
    params: dict
    depth: int = flax.struct.field(pytree_node=False, default=3)


def place(tree, sharding):
    try:
        return jax.device_put(tree, sharding)
    except TypeError:
        raise


images, labels = jnp.ones((8, 4)), jnp.zeros(8, jnp.int32)
placed = [
    place(Batch(images, images), rows),
    place(State(step=jnp.zeros((8, 1)), params={"w": images}), rows),
]
try:
    print(jax.device_put(Pair(images, labels), rows))  # want SHD103 "the leaf \.labels has rank 1"
finally:
    print(jax.device_put(Batch(images, labels), rows))  # want SHD103 "the leaf \.labels has rank 1"
print(jax.device_put(State(step=jnp.zeros(()), params={"w": images}), rows))  # want SHD103 "the leaf \.step has rank 0"

"""Every output is said to be split by rows, the mean loss among them."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Output(NamedTuple):
    logits: jax.Array
    loss: jax.Array


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))  # want SHD210 "rank 0|scalar"
def evaluate(w, x):
    logits = x @ w
    return Output(logits, (logits**2).mean())


print(evaluate(jnp.ones((4, 2)), jnp.ones((8, 4))).loss)

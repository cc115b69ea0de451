import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()), ("data",))
BATCH = {"x": NamedSharding(MESH, P("data")), "y": NamedSharding(MESH, P("data"))}
sharded_jit = functools.partial(jax.jit, in_shardings=(None, BATCH))


@sharded_jit
def step(w, batch):
    return jnp.mean((batch["x"] @ w - batch["y"]) ** 2)


def evaluate(batch):
    if jax.process_index() == 0:
        print("evaluating")
    w = jnp.ones(4)
    return step(w, batch)  # want SHD704 "batch"

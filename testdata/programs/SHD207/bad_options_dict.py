"""The specs of a map stand in a table of options; one output is not reduced."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
OPTIONS = {
    "mesh": mesh,
    "in_specs": (P(), P("data")),
    "out_specs": {"loss": P(), "max": P()},  # want SHD207 "data"
}


def metrics(w, x):
    y = x @ w
    return {"loss": jax.lax.pmean((y**2).mean(), "data"), "max": y.max()}


print(jax.jit(jax.shard_map(metrics, **OPTIONS))(jnp.ones(4), jnp.ones((8, 4))))

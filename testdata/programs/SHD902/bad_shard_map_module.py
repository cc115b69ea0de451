"""The module of the old function under its own name."""
import functools

import jax
import jax.experimental.shard_map as sm
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))


def parallel_sum(mesh, axis):
    @functools.partial(sm.shard_map, mesh=mesh, in_specs=P(axis), out_specs=P())  # want SHD902 "shard_map.*jax\.shard_map"
    def run(x):
        return jax.lax.psum(x.sum(), axis)

    return run


print(parallel_sum(mesh, "x")(jnp.ones(8)))

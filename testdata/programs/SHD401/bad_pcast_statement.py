import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def scale(w, x):
    jax.lax.pcast(w, "data", to="varying")  # want SHD401 "pcast"
    return x * w


print(scale(jnp.ones(()), jnp.ones(8)).shape)

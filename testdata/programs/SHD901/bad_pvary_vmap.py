"""pvary under a short module name inside a scan carry."""
import functools

import jax
import jax.lax as jl
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("i"),), out_specs=P("i"))
def ring(x):
    vary = functools.partial(jl.pvary, axis_name=("i",))  # want SHD901 "pvary.*pcast"
    acc = vary(jnp.zeros((1,)))
    for _ in range(2):
        acc = acc + x.sum()
    return acc


print(ring(jnp.arange(16.0)))

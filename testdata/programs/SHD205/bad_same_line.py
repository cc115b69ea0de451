"""One expression reduces what differs and what does not: the first needs its psum."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))
psum = functools.partial(lax.psum, axis_name="dp")


@jax.jit
@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("dp")), out_specs=P())
def terms(w, x):
    parts = {"data": x.sum(), "weight": (w * w).sum()}
    return {name: psum(part) for name, part in parts.items()}  # want SHD205 "dp"


@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("dp"), out_specs=P())
def twice(x):
    total = x.sum()
    for _ in range(2):
        total = lax.psum(total, "dp")  # want SHD205 "dp"
    return total


print(terms(jnp.ones(3), jnp.ones(8)), twice(jnp.ones(8)))

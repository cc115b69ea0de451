"""Ported from the experimental function: positions, the old flag and a list of axes."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
smap = jax.shard_map
MANUAL_AXES = [a for a in mesh.axis_names if a != "model"]


def build(f, spec):
    return smap(f, mesh=mesh, in_specs=spec, out_specs=spec, check_rep=True)  # want SHD904 "check_rep.*check_vma"


def partly(f, spec):
    mapped = functools.partial(smap, mesh=mesh, in_specs=spec, out_specs=spec, axis_names=MANUAL_AXES)  # want SHD904 "axis_names.*set"
    return mapped(f)


try:
    print(build(jnp.sin, P("data"))(jnp.ones(8)))
except TypeError as e:
    print(e)
print(jax.jit(partly(jnp.sin, P("data")))(jnp.ones(8)))

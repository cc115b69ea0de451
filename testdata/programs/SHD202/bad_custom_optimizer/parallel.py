import functools

import jax
import numpy as np
from jax.sharding import Mesh


def make_mesh(name="dp"):
    return Mesh(np.array(jax.devices()), (name,))


def sharded(mesh, in_specs, out_specs):
    def decorate(f):
        mapped = jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
        return functools.wraps(f)(jax.jit(mapped))

    return decorate

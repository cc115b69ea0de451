"""Arguments of the old function handed to the new one through a dictionary, a partial and a decorator."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
COMMON = dict(mesh=mesh, check_rep=False)
AXES = ["data"]


def scale(x):
    return x * 2


class Kernel:
    specs = {"in_specs": P("data"), "out_specs": P("data")}

    def build(self):
        return shard_map(scale, **self.specs, **COMMON)  # want SHD904 "check_rep.*check_vma"


over = functools.partial(shard_map, mesh=mesh, auto=frozenset(mesh.axis_names) - {"data"})  # want SHD904 "auto.*axis_names"


@functools.partial(over, in_specs=P("data"), out_specs=P("data"))
def double(x):
    return x + x


half = shard_map(scale, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names=AXES)  # want SHD904 "axis_names.*set"
pos = shard_map(scale, mesh, in_specs=P("data"), out_specs=P("data"))  # want SHD904 "keyword"

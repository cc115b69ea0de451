import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

AXES = {"batch": "data", "heads": "modle"}


def make_mesh(sizes):
    names = tuple(sizes)
    return jax.make_mesh(tuple(sizes.values()), names, axis_types=(AxisType.Auto,) * len(names))


mesh = make_mesh({"data": 4, "model": 2})
shard = functools.partial(NamedSharding, mesh)
specs = [shard(PartitionSpec(AXES[k])) for k in ("batch",)]
heads = shard(spec=PartitionSpec(None, AXES["heads"]))  # want SHD101 "modle"
print(jax.device_put(jnp.ones((8, 8)), specs[0]), heads)

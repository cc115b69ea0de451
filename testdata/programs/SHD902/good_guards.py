import importlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

if hasattr(jax, "shard_map"):
    shard_map = jax.shard_map
else:
    from jax.experimental.shard_map import shard_map


def pjit(fn, **kwargs):
    """Our own name for jit."""
    return jax.jit(fn, **kwargs)


class experimental:
    @staticmethod
    def shard_map(fn):
        return fn


mesh = Mesh(np.array(jax.devices()), ("data",))
f = shard_map(jnp.sin, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
print(pjit(f)(jnp.ones(8)).sum(), experimental.shard_map(f) is f)

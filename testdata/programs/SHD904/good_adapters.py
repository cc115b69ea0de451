"""Adapters that give each function the keywords that it takes."""
import functools
import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def shard_map(f, mesh, in_specs, out_specs, check_rep=True, **kwargs):
    if hasattr(jax, "shard_map"):
        return jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_rep, **kwargs)
    from jax.experimental.shard_map import shard_map as old

    return old(f, mesh, in_specs, out_specs, check_rep=check_rep, **kwargs)


double = shard_map(lambda x: x * 2, mesh, P("data"), P("data"), check_rep=False)
part = shard_map(lambda x: x * 2, mesh, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})
print(double(jnp.ones(8)).sum(), jax.jit(part)(jnp.ones(8)).sum())

import functools
import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))

try:
    from jax import shard_map

    FLAGS = {"check_vma": False}
except ImportError:
    from jax.experimental.shard_map import shard_map

    FLAGS = {"check_rep": False}

run = shard_map(jnp.sin, mesh=mesh, in_specs=P("data"), out_specs=P("data"), **FLAGS)
MANUAL = frozenset(n for n in mesh.axis_names if n == "data")
part = jax.shard_map(jnp.cos, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names=MANUAL)


def old_or_new(fn, **kw):
    if "check_rep" in inspect.signature(shard_map).parameters:
        return shard_map(fn, check_rep=False, **kw)
    return shard_map(fn, check_vma=False, **kw)


both = old_or_new(jnp.tan, mesh=mesh, in_specs=P(("data", "model")), out_specs=P(("data", "model")))
print(run(jnp.ones(8)).sum(), jax.jit(part)(jnp.ones(8)).sum(), both(jnp.ones(8)).sum())

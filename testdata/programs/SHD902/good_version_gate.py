"""The old names are used below the release that has the new ones."""
import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

if hasattr(jax, "shard_map"):
    shard_map = jax.shard_map
else:
    from jax.experimental.shard_map import shard_map

NEW = tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 6)
if not NEW:
    from jax.experimental.pjit import pjit
else:
    pjit = jax.jit

mesh = Mesh(np.array(jax.devices()), ("d",))
flag = {"check_vma" if "check_vma" in inspect.signature(shard_map).parameters else "check_rep": False}
print(pjit(shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("d"), out_specs=P("d"), **flag))(jnp.ones(8)).sum())

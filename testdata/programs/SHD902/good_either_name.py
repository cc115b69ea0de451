"""New names first, or chosen by what the release has."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

if hasattr(jax, "shard_map"):
    shard_map = jax.shard_map
else:
    from jax.experimental.shard_map import shard_map

try:
    pjit = jax.jit
except AttributeError:
    from jax.experimental.pjit import pjit

mesh = Mesh(np.array(jax.devices()), ("data",))
double = shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
print(pjit(double)(jnp.ones(8)).sum())

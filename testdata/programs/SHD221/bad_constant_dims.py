"""The last dimension is written as -1 in a table of options."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tp",))
SCATTER = {"scatter_dimension": -1, "tiled": True}


def row_parallel(x, w):
    return lax.psum_scatter(x @ w, "tp", **SCATTER)  # want SHD221 "scatter_dimension.*-1|-1.*scatter_dimension"


f = jax.shard_map(row_parallel, mesh=mesh, in_specs=(P(None, "tp"), P("tp", None)), out_specs=P(None, "tp"))
print(f(jnp.ones((4, 16)), jnp.ones((16, 8))).shape)

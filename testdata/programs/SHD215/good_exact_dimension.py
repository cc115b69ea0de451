"""The dimension has the size of the axis: taking it apart is what is wanted."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))


def totals(x):
    parts = x.reshape(8, -1, x.shape[-1])
    mine = jax.lax.psum_scatter(parts, "dp", scatter_dimension=0)
    swapped = jax.lax.all_to_all(parts, "dp", split_axis=0, concat_axis=0)
    return mine, swapped.reshape(x.shape)


f = jax.shard_map(totals, mesh=mesh, in_specs=P("dp"), out_specs=(P("dp"), P("dp")))
print(jax.tree.map(jnp.shape, f(jnp.ones((128, 4)))))

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tp",))


def scatter(x, dim):
    if dim < 0:
        dim += x.ndim
    return jax.lax.psum_scatter(x, "tp", scatter_dimension=dim, tiled=True)


def swap(x, split=-1, concat=-2):
    return jax.lax.all_to_all(x, "tp", split % x.ndim, concat % x.ndim, tiled=True)


def layer(x, w):
    y = scatter(x @ w, -1)
    full = jax.lax.all_gather(y, "tp", axis=-1, tiled=True)
    return swap(full)


f = jax.shard_map(layer, mesh=mesh, in_specs=(P(None, "tp"), P("tp")), out_specs=P(None, "tp"))
print(f(jnp.ones((4, 16)), jnp.ones((16, 8))).shape)

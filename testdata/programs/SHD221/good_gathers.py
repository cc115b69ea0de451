import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


def scatter(x, dim=-1):
    return lax.psum_scatter(x, "d", scatter_dimension=dim % x.ndim, tiled=True)


def f(x):
    y = lax.all_gather(x, "d", axis=-1, tiled=True)
    dim = -1
    dim = dim if dim >= 0 else dim + y.ndim
    z = lax.psum_scatter(y, "d", scatter_dimension=dim, tiled=True)
    return z + scatter(y)


print(jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False)(jnp.ones((8, 8))).shape)

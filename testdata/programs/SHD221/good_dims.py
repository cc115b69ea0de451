import jax
import jax.numpy as jnp
from functools import partial
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh, check_vma=False)
print(smap(lambda x: lax.psum_scatter(x, "d", scatter_dimension=x.ndim - 1, tiled=True), in_specs=P(), out_specs=P(None, "d"))(jnp.ones((2, 16))).shape)

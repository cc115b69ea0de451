import jax
import jax.numpy as jnp
from functools import partial
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh, check_vma=False)
print(smap(lambda g: lax.psum_scatter(g, "d", tiled=True), in_specs=P(), out_specs=P("d"))(jnp.ones((16, 2))).shape)
print(smap(lambda x: lax.all_to_all(x, "d", 1, 0, tiled=True), in_specs=P("d"), out_specs=P("d"))(jnp.ones((8, 16))).shape)

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def reduce_grads(g, axis="data"):
    return jax.tree.map(lambda a: lax.psum_scatter(a, axis), g)  # want SHD215 "tiled"


def heads(x):
    return lax.all_to_all(x, "model", split_axis=1, concat_axis=0)  # want SHD215 "tiled"


for f, spec in ((reduce_grads, P()), (heads, P("data"))):
    print(jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=P("data"), check_vma=False)(jnp.ones((16, 8))).shape)

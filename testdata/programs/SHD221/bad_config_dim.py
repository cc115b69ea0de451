import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class TensorParallel:
    axis: str = "tp"
    feature_dim: int = -1
    scatter: bool = True


tp = TensorParallel()
mesh = Mesh(mesh_utils.create_device_mesh((8,)), (tp.axis,))
reduce = functools.partial(jax.lax.psum_scatter, axis_name=tp.axis, tiled=True)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(None, tp.axis), P(tp.axis)), out_specs=P(None, tp.axis))
def row_parallel(x, w):
    y = x @ w
    return reduce(y, scatter_dimension=tp.feature_dim)  # want SHD221 "scatter_dimension"


print(row_parallel(jnp.ones((4, 16)), jnp.ones((16, 8))).shape)

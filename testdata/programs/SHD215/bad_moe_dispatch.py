"""Expert parallel dispatch: the tokens of 16 experts over 8 devices need a tiled exchange."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class MoE:
    experts: int = 16
    capacity: int = 4
    width: int = 8
    axis: str = "expert"


cfg = MoE()
mesh = Mesh(mesh_utils.create_device_mesh((8,)), (cfg.axis,))


def dispatch(slots):
    return jax.lax.all_to_all(slots, cfg.axis, split_axis=0, concat_axis=1)  # want SHD215 "16.*8|tiled"


@jax.jit
def layer(x):
    exchange = functools.partial(jax.shard_map, mesh=mesh, in_specs=P(None, cfg.axis), out_specs=P(cfg.axis))
    return exchange(dispatch)(x)


print(layer(jnp.ones((cfg.experts, 8 * cfg.capacity, cfg.width))).shape)

from jax.sharding import NamedSharding, PartitionSpec as P
import jax

from .config import AXIS_DATA, AXIS_TENSOR, ShardConfig


def make_mesh():
    kinds = (jax.sharding.AxisType.Auto,) * 2
    return jax.make_mesh((4, 2), (AXIS_DATA, AXIS_TENSOR), axis_types=kinds)


def activation(mesh, cfg: ShardConfig = ShardConfig()):
    return NamedSharding(mesh, P(cfg.data, cfg.sequence, cfg.tensor))  # want SHD101 "seq"

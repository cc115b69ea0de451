from .config import AXIS_DATA, AXIS_TENSOR, ShardConfig
from .sharding import activation, make_mesh

__all__ = ["AXIS_DATA", "AXIS_TENSOR", "ShardConfig", "activation", "make_mesh"]

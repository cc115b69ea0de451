from dataclasses import dataclass

AXIS_DATA = "data"
AXIS_TENSOR = "tensor"


@dataclass(frozen=True)
class ShardConfig:
    data: str = AXIS_DATA
    tensor: str = AXIS_TENSOR
    sequence: str = "seq"

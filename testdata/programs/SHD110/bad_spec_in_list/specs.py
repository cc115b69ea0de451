import jax
from jax.sharding import PartitionSpec

ROWS = PartitionSpec("rows")
REPLICATED = PartitionSpec(None, None)


def needs_gather(x: jax.Array) -> bool:
    spec = x.sharding.spec
    if [*spec] == []:
        return False
    if PartitionSpec() == REPLICATED:  # want SHD110 "trailing None"
        return False
    return spec != ["rows"]  # want SHD110 "list|tuple"

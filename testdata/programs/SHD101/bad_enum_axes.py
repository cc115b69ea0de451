"""Axis names as enum members; the expert axis was never added to the mesh."""
import enum

import jax
import jax.numpy as np
import jax.sharding as shd


class Axis(str, enum.Enum):
    DATA = "data"
    MODEL = "model"
    EXPERT = "expert"


class Names(enum.StrEnum):
    ROWS = enum.auto()
    COLS = enum.auto()
    DEPTH = enum.auto()


mesh = jax.make_mesh((4, 2), (Axis.DATA.value, Axis.MODEL.value), axis_types=(shd.AxisType.Auto,) * 2)
grid = jax.make_mesh((2, 4), (str(Names.ROWS), Names.COLS.value), axis_types=(shd.AxisType.Auto,) * 2)


def spec_for(*axes: Axis | None):
    return shd.PartitionSpec(*(a.value if a else None for a in axes))


acts = shd.NamedSharding(mesh, spec_for(Axis.DATA, None))
moe = shd.NamedSharding(mesh, spec_for(Axis.EXPERT, None, Axis.MODEL))  # want SHD101 "expert.*data.*model"
x = jax.device_put(np.ones((8, 4)), acts)
y = jax.device_put(np.ones((8, 4)), shd.NamedSharding(grid, shd.PartitionSpec(Names.DEPTH.value)))  # want SHD101 "depth"
print(x.sharding, y.sharding)

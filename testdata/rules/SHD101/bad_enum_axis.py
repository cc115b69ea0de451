"""Axis names kept in an Enum."""
import enum

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


class Axis(enum.Enum):
    DATA = "data"
    MODEL = "model"


mesh = jax.make_mesh((4, 2), tuple(a.value for a in (Axis.DATA, Axis.MODEL)), axis_types=(AxisType.Auto,) * 2)
rows = NamedSharding(mesh, P(Axis.DATA.value, Axis.MODEL.value))
columns = NamedSharding(mesh, P(Axis.DATA.value, "tp"))  # want SHD101 "'tp' is no axis of mesh, which has 'data', 'model'"

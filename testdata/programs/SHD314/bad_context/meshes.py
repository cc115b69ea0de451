import jax
from jax.sharding import AxisType


def explicit_mesh(names=("batch",)):
    sizes = (jax.device_count(),)
    return jax.make_mesh(sizes, names, axis_types=tuple(AxisType.Explicit for _ in names))

import jax
from jax.sharding import AxisType

num_slices = len({getattr(d, "slice_index", 0) for d in jax.devices()})
assert num_slices == 1, "one slice only"
mesh = jax.make_mesh((jax.device_count() // 2, 2), ("d", "m"), axis_types=(AxisType.Auto,) * 2)
print(mesh)

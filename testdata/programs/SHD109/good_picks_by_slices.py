"""One helper for one and for several slices, each with the function for it."""
import jax
from jax.experimental import mesh_utils
from jax.sharding import AxisType, Mesh


def num_slices(devices):
    return 1 + max(getattr(d, "slice_index", 0) or 0 for d in devices)


def build_mesh(fsdp, tensor, dcn_data=None):
    devices = jax.devices()
    dcn_data = dcn_data or num_slices(devices)
    if dcn_data == 1:
        return jax.make_mesh((fsdp, tensor), ("fsdp", "tensor"), axis_types=(AxisType.Auto,) * 2)
    grid = mesh_utils.create_hybrid_device_mesh((fsdp, tensor), (dcn_data, 1), devices=devices)
    return Mesh(grid, ("fsdp", "tensor"))


def windows(n, size):
    return [slice(i, i + size) for i in range(0, n, size)]


print(dict(build_mesh(4, 2).shape), windows(8, 4))

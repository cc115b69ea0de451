import jax


def data_mesh(axis="data", *, count=None):
    n = count or jax.device_count()
    return jax.make_mesh((n,), (axis,))  # want SHD903 "axis_types"

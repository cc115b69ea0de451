import collections

import jax
import numpy as np
from jax.sharding import AxisType


def group():
    by_slice = collections.defaultdict(list)
    for d in jax.devices():
        by_slice[getattr(d, "slice_index", 0)].append(d)
    return by_slice


def main():
    slices = group()
    num_slices = len(slices)
    return jax.make_mesh((num_slices, jax.device_count() // num_slices), ("slice", "chip"), axis_types=(AxisType.Auto,) * 2)  # want SHD109 "create_hybrid_device_mesh"


print(main())

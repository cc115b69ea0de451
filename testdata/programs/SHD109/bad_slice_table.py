"""One mesh helper for every pod configuration: the slices are counted, the mesh is not told."""
import argparse
import collections
import math

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

ICI = {"fsdp": 4, "tensor": 2}


def devices_by_slice(devices):
    table = collections.defaultdict(list)
    for device in devices:
        table[getattr(device, "slice_index", 0)].append(device)
    return dict(table)


def make_training_mesh(ici):
    groups = devices_by_slice(jax.devices())
    replicas = len(groups)
    shape = (replicas, *ici.values())
    assert math.prod(shape) == jax.device_count()
    return jax.make_mesh(shape, ("replica", *ici), axis_types=(AxisType.Auto,) * len(shape))  # want SHD109 "create_hybrid_device_mesh"


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=16)
    args = parser.parse_args(argv)
    mesh = make_training_mesh(ICI)
    w = jax.device_put(np.ones((args.width, args.width), np.float32), NamedSharding(mesh, P("fsdp", "tensor")))
    print(dict(mesh.shape), w.sharding.spec)


if __name__ == "__main__":
    main([])

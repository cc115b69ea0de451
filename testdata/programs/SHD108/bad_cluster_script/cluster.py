"""Meshes of a cluster job."""
import os

import jax
import numpy as np
from jax import sharding


def start():
    if "COORDINATOR" in os.environ:
        jax.distributed.initialize()


def rank():
    return jax.process_index()


def build_mesh(tensor=1, pipeline=1):
    n = jax.device_count()
    dims = dict(data=n // (tensor * pipeline), pipe=pipeline, tensor=tensor)
    grid = np.array(jax.devices()).reshape(*dims.values())
    return sharding.Mesh(grid, tuple(dims))  # want SHD108 "make_mesh"

"""Two-dimensional grids from the plain device list."""
from dataclasses import dataclass

import jax
import numpy as np
from jax.sharding import Mesh


@dataclass
class Parallelism:
    data: int = 2
    model: int = 4

    def mesh(self):
        grid = np.array(jax.devices()).reshape(self.data, self.model)
        return Mesh(grid, ("data", "model"))  # want SHD108 "make_mesh or create_device_mesh|make_mesh|create_device_mesh"


def rectangular(rows):
    devices = np.asarray(jax.devices())
    return Mesh(np.reshape(devices, (rows, -1)), axis_names=["r", "c"])  # want SHD108 "make_mesh|create_device_mesh"


print(Parallelism().mesh().shape, rectangular(2).shape)

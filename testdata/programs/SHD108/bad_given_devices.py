"""The devices, and how many axes there are, are the caller's to choose."""
import jax
import numpy as np
from jax.sharding import Mesh


def build(shape, names=("data", "model"), devices=None):
    if devices is None:
        devices = jax.devices()
    return Mesh(np.array(devices).reshape(shape), names)  # want SHD108 "make_mesh"


print(build((4, 2)).shape)

import jax
import numpy as np
from jax.sharding import Mesh


def make_training_mesh(*, fsdp, axes=("fsdp", "tp")):
    devices = np.asarray(jax.devices()).reshape(fsdp, -1)
    return Mesh(devices, axes)

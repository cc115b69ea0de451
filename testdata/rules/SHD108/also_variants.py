import jax
import numpy as np
from jax.sharding import Mesh


def build(dp, tp):
    devices = np.reshape(jax.devices(), (dp, tp))
    return Mesh(devices, ("dp", "tp"))  # want SHD108 "make_mesh"


build(4, 2)
first = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("a", "b"))
local = Mesh(np.array(jax.local_devices()).reshape(2, 4), ("a", "b"))
one = Mesh(np.array(jax.devices()).reshape(8, 1), ("a", "b"))
cpu = Mesh(np.array(jax.devices("cpu")).reshape(2, 4), ("a", "b"))

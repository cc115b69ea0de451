from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh


class AxisNames(NamedTuple):
    data: str = "dp"
    model: str = "mp"


AXES = AxisNames()


def build_mesh(data, model=1, axes=AXES):
    devices = np.asarray(jax.devices()[: data * model]).reshape(data, model)
    return Mesh(devices, axes)

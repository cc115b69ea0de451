import contextlib

import jax
import numpy as np
from jax.sharding import Mesh

MESH = Mesh(np.array(jax.devices()), ("d",))


@contextlib.contextmanager
def entered(mesh=MESH):
    with mesh:  # want SHD905 "set_mesh\(mesh\)"
        yield mesh

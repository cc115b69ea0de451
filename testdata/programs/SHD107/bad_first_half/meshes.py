import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

ALL = np.array(jax.devices())
MESHES = {
    "load": Mesh(ALL[:4], ("dp",)),
    "serve": Mesh(ALL[4:], ("tp",)),
}


def sharding(which, *names):
    return NamedSharding(MESHES[which], PartitionSpec(*names))

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Layout:
    def __init__(self, tp=8):
        self.mesh = Mesh(np.array(jax.devices()[:tp]), ("tp",))

    @property
    def heads(self):
        return NamedSharding(self.mesh, P(None, None, "tp", None))

    @property
    def replicated(self):
        return NamedSharding(self.mesh, P())

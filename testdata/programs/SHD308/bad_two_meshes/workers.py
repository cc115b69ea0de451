import dataclasses

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass
class Group:
    devices: list

    def __post_init__(self):
        self.mesh = Mesh(np.array(self.devices), ("batch",))

    def put(self, x):
        return jax.device_put(x, NamedSharding(self.mesh, P("batch")))


_all = jax.devices()
ACTOR, LEARNER = Group(_all[:4]), Group(_all[4:])

from dataclasses import dataclass, field

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as PS


@dataclass
class Layout:
    batch_axis: str = "dp"
    weight_axis: str = "tp"
    extra: tuple = field(default_factory=lambda: ("dp", "pp"))


class Placer:
    def __init__(self, layout, shape=(4, 2)):
        self.layout = layout
        self.mesh = Mesh(np.array(jax.devices()).reshape(shape), ("dp", "mp"))

    def rows(self):
        return NamedSharding(self.mesh, PS(self.layout.batch_axis, None))

    def weights(self):
        return NamedSharding(self.mesh, PS(None, self.layout.weight_axis))  # want SHD101 "tp"

    def both(self):
        return NamedSharding(self.mesh, PS(self.layout.extra))  # want SHD101 "pp"


p = Placer(Layout())
print(p.rows(), p.weights(), p.both())

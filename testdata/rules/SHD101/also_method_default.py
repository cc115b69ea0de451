import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Sharder:
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), axis_names=("x", "y"))

    def spec(self, *axes, extra="z"):
        return NamedSharding(self.mesh, P(*axes, extra))  # want SHD101 "z"

    def named(self, first, second="y"):
        return NamedSharding(self.mesh, P(first, second))


s = Sharder()
print(s.spec("x"))
print(s.named(
    "x",
    second="yy",  # want SHD101 "yy"
))
print(s.named(first="x"))

"""Forgot the modulo."""
import dataclasses

import jax
import jax.numpy as np
from jax.sharding import Mesh, PartitionSpec as P
import numpy as onp


@dataclasses.dataclass
class Topology:
    size: int = 8
    axis: str = "pp"

    @property
    def forward(self):
        return [(s, s + 1) for s in range(self.size)]

    def backward(self):
        return list(zip(range(1, self.size), range(self.size - 1)))


topo = Topology()
mesh = Mesh(onp.array(jax.devices()).reshape(topo.size), (topo.axis,))


def push(x):
    return jax.lax.ppermute(x, topo.axis, topo.forward)  # want SHD214 "8"


def pull(x):
    return jax.lax.ppermute(x, topo.axis, topo.backward())


smap = lambda f: jax.shard_map(f, mesh=mesh, in_specs=P(topo.axis), out_specs=P(topo.axis))
print(smap(pull)(np.ones(8)))
print(smap(push)(np.ones(8)))

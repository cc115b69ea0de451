import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))


@dataclasses.dataclass
class Ratio:
    total: jax.Array
    count: jax.Array

    def psum(self, axis):
        return Ratio(*jax.lax.psum((self.total, self.count), axis))

    def value(self):
        return self.total / jnp.maximum(self.count, 1)


def loss(nll, mask):
    ratio = Ratio((nll * mask).sum(), mask.sum()).psum("dp")
    tokens = jax.lax.psum(mask.sum(), "dp")
    scaled = nll.sum() * 8 / tokens
    return ratio.value(), jax.lax.pmean(scaled, "dp")


f = jax.shard_map(loss, mesh=mesh, in_specs=(P("dp"), P("dp")), out_specs=P())
print(f(jnp.arange(16.0), jnp.ones(16)))

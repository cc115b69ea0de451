import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
ring = list(reversed(jax.devices()))


def build(devs, *names):
    return Mesh(np.asarray(devs).reshape((-1,) + (1,) * (len(names) - 1)), names)


forward, backward = build(devices, "a"), build(ring, "b")


class Sums:
    def __init__(self):
        self.x = jax.device_put(jnp.ones(8), NamedSharding(forward, P("a")))
        self.y = jax.device_put(jnp.ones(8), NamedSharding(backward, P("b")))
        self.add = jax.jit(jnp.add)

    def run(self):
        return self.add(self.x, self.y)  # want SHD107 "(forward|backward)"


print(Sums().run())

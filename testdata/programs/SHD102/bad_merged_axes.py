"""The same axis twice through constants, defaults, concatenated specs and a comprehension."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("dp", "fsdp", "tp"))
BATCH_AXES = tuple(n for n in mesh.axis_names if n != "tp")


@dataclass
class Rules:
    batch: tuple = BATCH_AXES
    embed: str | None = "fsdp"
    heads: str = "tp"

    def activation(self):
        return P(self.batch, None, self.embed)  # want SHD102 "fsdp"

    def weights(self):
        return P(self.embed, self.heads)


def spec(*names, batch=BATCH_AXES):
    return P(batch, *names)


def constrain(x, s):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, s))


rules = Rules()
prefix = P("tp")
both = P(*prefix, *rules.weights())  # want SHD102 "tp"
print(NamedSharding(mesh, rules.weights()))
step = jax.jit(lambda x: constrain(x, rules.activation()))
other = jax.jit(lambda x: constrain(x, spec("tp", "dp")))  # want SHD102 "dp"
for make in (lambda: step(jnp.ones((8, 4, 8))), lambda: other(jnp.ones((8, 4, 8))), lambda: NamedSharding(mesh, both)):
    try:
        print(make())
    except Exception as error:
        print(type(error).__name__)

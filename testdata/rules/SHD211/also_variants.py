from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


class Block:
    def __init__(self, constrain=True):
        self.constrain = constrain

    def __call__(self, x):
        if self.constrain:
            x = jax.lax.with_sharding_constraint(x, P("data"))  # want SHD211 "data"
        return jnp.tanh(x)


loud, quiet = Block(), Block(constrain=False)
a = shard_map(lambda x: loud(x), mesh=mesh, in_specs=P("data", "model"), out_specs=P("data", "model"), check_rep=False)
b = shard_map(lambda x: quiet(x), mesh=mesh, in_specs=P("data", "model"), out_specs=P("data", "model"), check_rep=False)
REPLICATED = NamedSharding(mesh, P())


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def checked(x):
    return jax.lax.with_sharding_constraint(x, REPLICATED)  # want SHD211 "mesh"


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False)
def unchecked(x):
    return jax.lax.with_sharding_constraint(x, REPLICATED)

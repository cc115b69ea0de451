from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


class Layer:
    def __init__(self, constrain=True):
        self.constrain = constrain

    def act(self, x):
        if self.constrain:
            x = jax.lax.with_sharding_constraint(x, P("data", None))  # want SHD211 "data"
        return x

    def __call__(self, x):
        return self.act(jnp.tanh(x))


layer, plain = Layer(), Layer(constrain=False)
run = jax.shard_map(lambda x: layer(x) + plain(x), mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})
print(jax.jit(run)(jnp.ones((8, 4))).shape)

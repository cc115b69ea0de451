"""A jitted init of a Flax model in a program that trains on a mesh."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(256)(nn.relu(nn.Dense(1024)(x)))


net = Net()
params = jax.jit(net.init)(jax.random.key(0), jnp.ones((1, 256)))  # want SHD304 "out_shardings"
rows = NamedSharding(mesh, P("fsdp"))
x = jax.device_put(np.ones((8, 256), np.float32), rows)
print(jax.tree.leaves(params)[0].sharding, net.apply(jax.device_get(params), x).shape)

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

from model import Net

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
net = Net()
x = np.arange(64, dtype=np.float32).reshape(16, 4)
variables = net.init(jax.random.key(0), x, train=False)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
def loss(variables, x):
    y, _ = net.apply(variables, x, train=True, mutable=["batch_stats"])
    return jax.lax.pmean(jnp.mean(y**2), "data")


print(loss(variables, x))

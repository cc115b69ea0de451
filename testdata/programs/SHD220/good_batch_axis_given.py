from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
column = jax.shard_map(lambda w, x: x @ w, mesh=mesh, in_specs=(P(None, "model"), P()), out_specs=P(None, "model"))
batched = partial(jax.vmap, spmd_axis_name="data")
layers = jax.vmap(column, in_axes=(0, None))


@jax.jit
def forward(w, xs, stack):
    y = batched(column, in_axes=(None, 0))(w, xs)
    return y, layers(stack, xs[0])


xs = jax.device_put(jnp.ones((8, 16, 32)), NamedSharding(mesh, P("data")))
print(jax.tree.map(jnp.shape, forward(jnp.ones((32, 8)), xs, jnp.ones((3, 32, 8)))))

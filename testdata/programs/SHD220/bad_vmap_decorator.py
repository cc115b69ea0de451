from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("batch", "tensor"))


@partial(jax.vmap, in_axes=(None, 0))  # want SHD220 "spmd_axis_name"
@partial(jax.shard_map, mesh=mesh, in_specs=(P("tensor"), P(None, "tensor")), out_specs=P())
def row_parallel(w, x):
    return jax.lax.psum(x @ w, "tensor")


@partial(jax.jit, in_shardings=(None, NamedSharding(mesh, P("batch"))))
def forward(w, xs):
    return row_parallel(w, xs)


print(forward(jnp.ones((32, 8)), jnp.ones((4, 16, 32))).shape)

"""A dropout key was added to the function, but not to its specs."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
X, W = P("data", None), P()


def forward(w, x, key):
    keep = jax.random.bernoulli(jax.random.fold_in(key, jax.lax.axis_index("data")), 0.9, x.shape)
    return jnp.where(keep, x, 0) @ w


SPECS = {"in_specs": (W, X), "out_specs": X}  # want SHD209 "2.*3|3.*2"
apply = jax.jit(jax.shard_map(forward, mesh=mesh, **SPECS))
print(apply(jnp.ones((4, 2)), jnp.ones((16, 4)), jax.random.key(0)).shape)

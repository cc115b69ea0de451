"""A binary tree sends from one parent per level; nodes that receive nothing get zeros on purpose."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tree",))


def level_edges(n, stride):
    return [(i, i + stride) for i in range(0, n, 2 * stride) if i + stride < n]


def spread(x):
    stride = 4
    while stride:
        received = jax.lax.ppermute(x, "tree", level_edges(8, stride))
        x = x + received
        stride //= 2
    return x


print(jax.shard_map(spread, mesh=mesh, in_specs=P("tree"), out_specs=P("tree"))(jnp.eye(8)[0]))

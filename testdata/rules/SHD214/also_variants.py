from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("x",))
N = mesh.shape["x"]
RING = zip(range(8), list(range(1, 8)) + [0])


@partial(jax.shard_map, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
def rotate(u):
    return lax.ppermute(u, "x", RING)  # want SHD214 "RING"


@partial(jax.shard_map, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
def loop(u):
    pairs = ((i, (i + 1) % 8) for i in range(8))
    for _ in range(3):
        u = lax.ppermute(u, "x", perm=pairs)  # want SHD214 "pairs"
    return u


def shift(u, perm):
    return lax.ppermute(u, axis_name="x", perm=perm)  # want SHD214 "source 0"


eight = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
f = jax.shard_map(lambda u: shift(u, [(0, 1), (0, 2)]), mesh=eight, in_specs=P("x"), out_specs=P("x"))
g = jax.shard_map(lambda u: lax.ppermute(u, "x", [(j, (j + 1) % 8) for j in range(8)]), mesh=eight, in_specs=P("x"), out_specs=P("x"))

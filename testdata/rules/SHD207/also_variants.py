from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
SPECS = dict(in_specs=(P("data"),), out_specs={"loss": P(), "rows": P("data")})  # want SHD207 "data"


@partial(jax.shard_map, mesh=mesh, **SPECS)
def evaluate(x):
    return {"loss": jnp.mean(x), "rows": x * 2}


def rank_of(x):
    return x + lax.axis_index("model")


g = jax.shard_map(rank_of, mesh=mesh, in_specs=P("data"), out_specs=P("data"))  # want SHD207 "model"


def reduced(x):
    s = jnp.sum(x, axis=0)
    for axis in ("data", "model"):
        s = lax.psum(s, axis) if axis == "data" else s
    return s


h = jax.shard_map(reduced, mesh=mesh, in_specs=P("data"), out_specs=P())
perm = jax.shard_map(lambda x: lax.ppermute(x, "data", [(0, 1), (1, 0)]), mesh=mesh, in_specs=P("data"), out_specs=P())  # want SHD207 "data"
scatter = jax.shard_map(lambda x: lax.psum_scatter(x, "data", tiled=True), mesh=mesh, in_specs=P(), out_specs=P("data"))

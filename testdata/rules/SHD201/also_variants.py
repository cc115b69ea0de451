from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
AXIS = ("data", "expert")


def all_mean(tree, axis="batch"):
    return jax.tree.map(lambda t: lax.pmean(t, axis), tree)  # want SHD201 "batch"


def grads(w, x):
    g = jax.grad(lambda w: jnp.sum(x @ w))(w)
    return all_mean(g)


def rank():
    return lax.axis_index("data")  # want SHD201 "data"


@partial(shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P(), check_rep=False)
def good(w, x):
    return all_mean(jnp.sum(x) * w, axis="data")


@partial(shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def bad(x):
    return lax.psum(x, AXIS)  # want SHD201 "expert"


step = jax.jit(grads)
step(jnp.ones((4, 4)), jnp.ones((4, 4)))
rank()
good(jnp.ones(()), jnp.ones(8))
bad(jnp.ones(8))
smap = jax.smap(lambda x: lax.psum(x, "i") + lax.psum(x, "j"), in_axes=0, out_axes=0, axis_name="i")
partial_map = jax.shard_map(lambda x: lax.psum(x, "model"), mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})  # want SHD201 "model"
partial_map(jnp.ones(8))

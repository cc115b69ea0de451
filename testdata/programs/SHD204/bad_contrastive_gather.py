"""A loss over all devices: its parts are summed with psum inside the differentiated function, without the check."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
reduce_sum = functools.partial(lax.psum, axis_name="data")


def features(params, x):
    return jnp.tanh(x @ params["w"])


def pair_loss(params, x, y):
    agreement = jnp.sum(features(params, x) * features(params, y))
    scale = reduce_sum(jnp.ones(()))
    return -reduce_sum(agreement) / scale  # want SHD204 "data"


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)
def gradient(params, x, y):
    return jax.tree.map(reduce_sum, jax.grad(pair_loss)(params, x, y))


def reference(params, x, y):
    return -jnp.sum(features(params, x) * features(params, y)) / 8


x = jnp.arange(32.0).reshape(16, 2) / 32
params = {"w": jnp.ones((2, 2)) / 2}
print((gradient(params, x, x)["w"] / jax.grad(reference)(params, x, x)["w"])[0])

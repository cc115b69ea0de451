import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def per_shard(fn):
    """One row per device of whatever fn returns."""

    @functools.wraps(fn)
    def wrapped(*args):
        return jax.tree.map(lambda v: jnp.reshape(v, (1, *jnp.shape(v))), fn(*args))

    return jax.shard_map(wrapped, mesh=mesh, in_specs=P("data"), out_specs=P("data"))


@per_shard
def stats(x):
    return {"mean": x.mean(), "var": x.var(axis=0), "n": jnp.float32(x.shape[0]) + 0 * x.sum()}


print(jax.tree.map(jnp.shape, stats(jnp.ones((16, 4)))))

"""Names bound by vmap, pmap, nested maps, Flax layers, and functions that a caller elsewhere binds."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
NAME = "batch"


def pmean_if_bound(x, axis_name=None):
    return x if axis_name is None else lax.pmean(x, axis_name)


def normalise(row, axis=NAME):
    return row - lax.pmean(row, axis)


batched = jax.vmap(normalise, axis_name=NAME)
both = jax.vmap(jax.vmap(lambda v: lax.psum(v, ("i", "j")), axis_name="j"), axis_name="i")


@partial(jax.pmap, axis_name="devices")
def replicas(x):
    return lax.psum(x, axis_name="devices")


@jax.shard_map(mesh=mesh, in_specs=P("data", "model"), out_specs=P("data", "model"), check_vma=False)
def inner(x):
    per_row = jax.vmap(lambda r: r / lax.psum(r, "row"), axis_name="row")(x)
    return lax.psum(per_row, "data") * 0 + x


def library(x):
    """Somebody else maps this."""
    return lax.all_gather(x, "expert", tiled=True)


class Norm(nn.Module):
    axis_name: str | None = None

    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False, axis_name=self.axis_name)(x)


print(batched(jnp.ones((8, 3))).shape, both(jnp.ones((2, 3, 4))).shape, replicas(jnp.ones((8, 2))).shape)
print(inner(jnp.ones((8, 4))).shape, pmean_if_bound(jnp.ones(3)))
print(jax.jit(partial(pmean_if_bound, axis_name=None))(jnp.ones(3)))

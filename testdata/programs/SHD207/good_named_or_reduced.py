"""Outputs whose axes are all named or reduced."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
smap = partial(jax.shard_map, mesh=mesh)


@smap(in_specs=(P("data", "model"), P("model")), out_specs=P("data"))
def contract(x, w):
    return lax.psum(x @ w, "model")


@smap(in_specs=P(("data", "model")), out_specs=(P(), P(("data", "model"))))
def moments(x):
    mean = lax.pmean(x.mean(0), mesh.axis_names)
    return mean, x - mean


@smap(in_specs=P("data"), out_specs=P())
def largest(x):
    values = lax.all_gather(x.max(), "data", to="invarying")
    return values.max()


@smap(in_specs=P("data"), out_specs=P(None))
def transposed(x):
    y = lax.all_to_all(x, "data", split_axis=1, concat_axis=0, tiled=True)
    return lax.psum(y.sum(0, keepdims=True).sum(1), ("data",))


@smap(in_specs=P(), out_specs=P("data"))
def split(w):
    return w * lax.axis_index("data")


@smap(in_specs=P("data"), out_specs=P(), check_vma=False)
def first(x):
    return lax.psum(jnp.where(lax.axis_index("data") == 0, x, 0), "data")


print(contract(jnp.ones((8, 4)), jnp.ones((4, 2))).shape, moments(jnp.ones((16, 2)))[0])
print(largest(jnp.arange(8.0)), split(jnp.ones(2)).shape, first(jnp.ones(8)).shape, transposed(jnp.ones((8, 8))).shape)

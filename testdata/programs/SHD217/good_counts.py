from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("data")), out_specs=P())


def ratio(v, m):
    total, count = lax.psum(((v * m).sum(), m.sum()), "data")
    return total / count


def fixed(v, m):
    return lax.pmean((v * m).sum() / v.size, "data")


def counted(v, m):
    n = lax.pmean(m.sum(), "data")
    return lax.pmean((v * m).sum() / n, "data")


for f in (ratio, fixed, counted):
    print(smap(f)(jnp.ones(16), jnp.ones(16)))

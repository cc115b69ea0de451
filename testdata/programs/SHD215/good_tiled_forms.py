"""tiled through keywords of all kinds, or dimensions that equal the axis."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
opts = {"tiled": True}
gather = functools.partial(lax.all_gather, axis_name="d", **opts)
smap = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)


def scatter(x, tiled=True):
    return lax.psum_scatter(x, "d", tiled=tiled)


def f(x, w):
    y = x @ gather(w)
    z = scatter(jnp.ones((16, 2)))
    parts = lax.all_gather(x, "d")
    mean = parts.mean(0)
    u = lax.all_to_all(w.reshape(8, -1), "d", 0, 0)
    v = lax.all_to_all(jnp.ones((4, 16)), "d", 1, 0, tiled=True)
    return y.sum() + z.sum() + mean.sum() + u.sum() + v.sum()


print(smap(f, in_specs=(P("d"), P("d")), out_specs=P())(jnp.ones((8, 16)), jnp.ones((16, 16))))
print(smap(lambda x: jnp.einsum("bi,nij->bnj", x, lax.all_gather(x, "d")), in_specs=P("d"), out_specs=P("d"))(jnp.ones((8, 1))))

"""The keywords travel in dictionaries; tiled is not among them."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("tp",), axis_types=(AxisType.Auto,))
SCATTER = dict(axis_name="tp", scatter_dimension=1)
scatter = functools.partial(lax.psum_scatter, **SCATTER)


def down(h, w):
    return scatter(h @ w)  # want SHD215 "tiled"


def gather(x, **options):
    return lax.all_gather(x, "tp", **options)  # want SHD215 "tiled"


def up(x, w):
    return gather(x, axis=1) @ w


def exchange(x, **options):
    return lax.all_to_all(x, "tp", **options)  # want SHD215 "tiled"


smap = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)
print(smap(down, in_specs=(P(None, "tp"), P("tp")), out_specs=P(None, "tp"))(jnp.ones((4, 16)), jnp.ones((16, 32))))
print(smap(lambda x: exchange(x, split_axis=1, concat_axis=0), in_specs=P("tp"), out_specs=P("tp"))(jnp.ones((8, 16))))
print(smap(up, in_specs=(P(None, "tp"), P()), out_specs=P())(jnp.ones((4, 16)), jnp.ones((16, 2))))

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

N = 8
mesh = jax.make_mesh((N,), ("i",), axis_types=(AxisType.Auto,))


def shift_pairs(n, by):
    return [(j, j + by) for j in range(n)]


def twice(x):
    perm = ((j, (j + 1) % N) for j in range(N))
    x = lax.ppermute(x, "i", perm)
    return lax.ppermute(x, "i", perm)  # want SHD214 "(iterator|generator|consumed)"


def wrap(x):
    return lax.ppermute(x, "i", shift_pairs(N, 1))  # want SHD214 "8"


for f in (twice, wrap):
    print(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(jnp.arange(8.0)))

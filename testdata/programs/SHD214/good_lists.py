"""Lists reused, iterators used once, chains with holes."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
ring = [(i, (i + 1) % 8) for i in range(8)]
chain = [(i, i + 1) for i in range(7)]


def f(x):
    for _ in range(2):
        x = lax.ppermute(x, "d", ring)
    y = lax.ppermute(x, "d", zip(range(8), reversed(range(8))))
    z = lax.ppermute(x, "d", ((i, i ^ 1) for i in range(8)))
    for k in range(2):
        z = lax.ppermute(z, "d", [(i, (i + k) % 8) for i in range(8)])
    return x + y + z + lax.ppermute(x, "d", chain) + lax.pshuffle(x, "d", list(range(8)))


def scanned(x):
    def body(c, _):
        return lax.ppermute(c, "d", ((j, (j - 1) % 8) for j in range(8))), None

    return lax.scan(body, x, None, length=3)[0]


smap = lambda g: jax.shard_map(g, mesh=mesh, in_specs=P("d"), out_specs=P("d"))(jnp.ones(8))
print(smap(f), smap(scanned))

"""Starts that vary, results that do not, and bodies without checks."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh, in_specs=P("d"), out_specs=P("d"))


def vary(tree, axis="d"):
    return jax.tree.map(lambda a: lax.pcast(a, axis, to="varying"), tree)


def cumulative(x):
    return lax.scan(lambda c, v: (c + v, c), vary(jnp.zeros(())), x)[1]


def like(x):
    return lax.fori_loop(0, 3, lambda i, c: c + x, jnp.zeros_like(x))


def times_zero(x):
    start = 0.0 * x.sum()
    return lax.scan(lambda c, v: (c + v, None), start, x)[0][None] + x * 0


def counters(x):
    def body(carry):
        i, acc = carry
        return i + 1, acc + lax.psum(x.sum(), "d")

    _, total = lax.while_loop(lambda c: c[0] < 2, body, (0, jnp.zeros(())))
    return x * total


def branches(x):
    return lax.cond(lax.axis_index("d") == 0, lambda: x, lambda: jnp.zeros_like(x))


def unchecked(x):
    return lax.scan(lambda c, v: (c + v, c), jnp.zeros(()), x)[1]


for f in (cumulative, like, times_zero, counters, branches):
    print(smap(f)(jnp.ones(16)).shape)
print(smap(unchecked, check_vma=False)(jnp.ones(16)).shape)

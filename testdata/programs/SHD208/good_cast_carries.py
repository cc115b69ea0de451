"""Carries made from the data, cast, or reduced in the loop."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = lambda f, out=P(): jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=out)


def varying(x, axes=("d",)):
    return jax.tree.map(lambda t: lax.pcast(t, axes, to="varying"), x)


def cast(x):
    return lax.psum(lax.fori_loop(0, 3, lambda i, c: c + x.sum(), varying(jnp.zeros(()))), "d")


def like(x):
    c, _ = lax.scan(lambda c, r: (c + r, None), jnp.zeros_like(x[0]), x)
    return lax.psum(c, "d")


def reduced(x):
    return lax.fori_loop(0, 3, lambda i, c: c + lax.psum(x.sum(), "d"), 0.0)


def derived(x):
    return lax.fori_loop(0, 3, lambda i, c: c + x.sum(), 0.0 * x.sum())[None]


def unchanged(x):
    n, s = lax.fori_loop(0, 3, lambda i, c: (c[0] + 1, c[1] * 2), (0, x))
    return s / n


print(smap(cast)(jnp.ones(8)), smap(like)(jnp.ones((16, 2))), smap(reduced)(jnp.ones(8)), smap(derived, P("d"))(jnp.ones(8)), smap(unchanged, P("d"))(jnp.ones(8)))

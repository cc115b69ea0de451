"""All axes are reduced or named; an axis of size one may be left out when unchecked."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("a", "b"), P("b")), out_specs=(P("a"), P(), P(("a", "b"))))
def f(x, w):
    y = lax.psum(x @ w, ("b",))
    total = functools.reduce(lambda t, ax: lax.psum(t, ax), ("a", "b"), x.sum())
    return y, total, x.reshape(-1)


print(f(jnp.ones((8, 4)), jnp.ones(4)))


def norm(tree, axes):
    sq = sum(jnp.sum(v**2) for v in jax.tree.leaves(tree))
    return jnp.sqrt(lax.psum(sq, axes))


g = jax.shard_map(lambda t: norm(t, mesh.axis_names), mesh=mesh, in_specs=P("a", "b"), out_specs=P())
print(g({"w": jnp.ones((4, 4)), "v": jnp.ones((8, 2))}))
h = jax.shard_map(lambda x: lax.psum(lax.psum_scatter(x, "a", tiled=True), "b"), mesh=mesh, in_specs=P(None, "b"), out_specs=P("a"))
print(h(jnp.ones((8, 2))))

"""The same operations along dimensions that every device holds whole, or in pieces that divide."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
jax.set_mesh(mesh)


@jax.jit
def route(scores, table):
    whole = reshard(scores, P("data", None))
    values, ids = lax.top_k(whole, 2)
    halves = whole[:4] + whole[4:]
    ranks = jnp.argsort(whole, axis=-1)
    steps = jnp.cumsum(whole, axis=1)
    _, per_layer = lax.scan(lambda c, w: (c, w.sum()), 0.0, table)
    mixed = jnp.where(whole > 0, whole, 0.0) * table[0][None, :16] + whole[:, 0][:, None]
    return values, halves, ranks, steps, per_layer, mixed, ids, jnp.einsum("te,le->tl", whole, table)


scores = jax.device_put(jnp.ones((8, 16)), NamedSharding(mesh, P("data", "model")))
print(jax.tree.map(jnp.shape, route(scores, jnp.ones((3, 16)))))

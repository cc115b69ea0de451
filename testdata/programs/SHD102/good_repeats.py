"""Axes repeated where that is allowed."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
EXPERT = EMBED = "model"


def pick(first, second):
    return P(first, second if second != first else None)


logical = P("embed", "embed")
pair = (P("data", None), P("data", None))
tree = {"q": P(None, EXPERT), "k": P(EMBED, None), "v": pick("model", "model")}
shardings = jax.tree.map(lambda s: NamedSharding(mesh, s), tree, is_leaf=lambda s: isinstance(s, P))
f = jax.shard_map(lambda a, b: a + b, mesh=mesh, in_specs=pair, out_specs=P("data", None))
print(f(jnp.ones((8, 2)), jnp.ones((8, 2))).shape, len(shardings), logical, P(None, None), P(P.UNCONSTRAINED, P.UNCONSTRAINED))

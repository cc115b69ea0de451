"""Specs that fit the rank: cut to it, chosen by it, or given to leaves with it only."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
FULL = ("data", "model", None)


def cut(x):
    return jax.device_put(x, NamedSharding(mesh, P(*FULL[: x.ndim])))


def by_rank(x):
    match x.ndim:
        case 0:
            spec = P()
        case 1:
            spec = P("data")
        case _:
            spec = P("data", "model")
    return NamedSharding(mesh, spec)


tree = {"step": jnp.zeros((), jnp.int32), "b": jnp.ones((8,)), "w": jnp.ones((8, 4)), "t": jnp.ones((8, 4, 2))}
print(jax.tree.map(lambda x: x.sharding.spec, jax.tree.map(cut, tree)))
print(jax.tree.map(lambda x: x.sharding.spec, jax.device_put(tree, jax.tree.map(by_rank, tree))))

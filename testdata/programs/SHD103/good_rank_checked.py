"""Specs that depend on the rank, prefix specs and trailing None."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def by_rank(a):
    match a.ndim:
        case 0:
            spec = P()
        case 1:
            spec = P("model")
        case _:
            spec = P(*([None] * (a.ndim - 1)), "model")
    return NamedSharding(mesh, spec)


def padded(spec, rank):
    return P(*spec, *[None] * (rank - len(spec)))


params = {"w": jnp.ones((4, 4)), "b": jnp.ones((4,)), "step": jnp.zeros((), jnp.int32), "conv": np.ones((3, 3, 2, 4))}
placed = jax.device_put(params, jax.tree.map(by_rank, params))
print(placed["w"].sharding, jax.device_put(placed["b"], NamedSharding(mesh, padded(P("data"), 1))).sharding)
keys = jax.random.split(jax.random.PRNGKey(0), 8)
print(jax.device_put(keys, NamedSharding(mesh, P("data", None))).shape)
print(jax.device_put(jnp.stack([jnp.ones(4)] * 4), NamedSharding(mesh, P("data", "model"))).shape)
print(jax.device_put(jnp.float32(1.0)[None], NamedSharding(mesh, P(None))).shape)

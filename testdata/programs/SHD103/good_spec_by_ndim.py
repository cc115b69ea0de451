"""Specs are cut to the rank of the leaf."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
FULL = ("fsdp", None, None, None)


def leaf_sharding(x):
    return NamedSharding(mesh, P(*FULL[: jnp.ndim(x)]))


def rows_if_matrix(x):
    spec = P("fsdp", None) if x.ndim >= 2 else P()
    return NamedSharding(mesh, spec)


params = {"w": jnp.ones((16, 4)), "b": jnp.ones((8,)), "t": jnp.float32(1.0)}
print(jax.device_put(params, jax.tree.map(leaf_sharding, params)))
state = optax.adam(1e-3).init(params)
state = jax.device_put(state, jax.tree.map(rows_if_matrix, state))
expand = jax.device_put(jnp.ones(8)[:, None], NamedSharding(mesh, P("fsdp", None)))
kept = jax.device_put(jnp.ones((8, 4)).sum(-1, keepdims=True), NamedSharding(mesh, P("fsdp", None)))
print(jax.device_put(jnp.float32(0), NamedSharding(mesh, P())), expand, kept)

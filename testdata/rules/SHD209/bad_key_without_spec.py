"""Specs are a prefix of the arguments: where both have a dict, they have the same keys."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def dense(params, x):
    return x @ params["layer"]["w"] + params["layer"]["b"]


f = jax.shard_map(
    dense,
    mesh=mesh,
    in_specs=({"layer": P()}, P("data")),
    out_specs=P("data"),
)
g = jax.shard_map(lambda p, x: x @ p["w"] + p["b"], mesh=mesh, in_specs=({"w": P()}, P("data")), out_specs=P("data"))  # want SHD209 "lacks the key 'b'"
layer = {"w": jnp.ones((4, 4)), "b": jnp.ones(4)}
print(f({"layer": layer}, jnp.ones((8, 4))).shape)
print(g(layer, jnp.ones((8, 4))).shape)

"""Gradients that are meant for each device: influence scores and per-shard norms."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("shard",), axis_types=(AxisType.Auto,))
AX = mesh.axis_names[0]


def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(AX)), out_specs=P(AX))
def scores(params, x):
    g = jax.grad(loss)(params, x)  # want SHD212 "shard"
    return jax.tree.map(lambda a: a[None], g)


print(scores({"w": jnp.ones((4,))}, jnp.arange(64.0).reshape(16, 4))["w"][:, 0])

"""ZeRO: gradients are scattered without tiled."""
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


def scatter_mean(g, axis="fsdp"):
    return lax.psum_scatter(g, axis) / lax.axis_size(axis)  # want SHD215 "tiled"


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("fsdp")), out_specs=P("fsdp"), check_vma=False)
def gradient(w, x):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return scatter_mean(g)


print(gradient(jnp.ones((16, 2)), jnp.ones((8, 16))).shape)

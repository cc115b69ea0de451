from functools import partial

import jax
import jax.numpy as jnp
from jax import lax, P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


def unshard(tree, axis="fsdp"):
    return jax.tree.map(lambda a: lax.all_gather(a, axis, tiled=True), tree)  # want SHD213 "fsdp"


@partial(jax.shard_map, mesh=mesh, in_specs=P("fsdp"), out_specs=P())
def full(params):
    return unshard(params)


print(full({"w": jnp.ones((16, 2))})["w"].shape)

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


def gather(tree):
    return jax.tree.map(lambda w: lax.all_gather(w, "fsdp", axis=0, tiled=True), tree)  # want SHD213 "fsdp"


full = jax.jit(jax.shard_map(gather, mesh=mesh, in_specs=P("fsdp"), out_specs=P()))


@partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P("fsdp")), out_specs=P("fsdp"))
def forward(w, x):
    w = lax.all_gather(w, "fsdp", axis=0, tiled=True)
    return x @ w


full({"w": jnp.ones((8, 4)), "b": jnp.ones(8)})

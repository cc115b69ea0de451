from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))
smap = partial(jax.shard_map, mesh=mesh, check_vma=False)


@partial(smap, in_specs=(P("data"), P(None, "model")), out_specs=P("data"))
def logits(h, head):
    local = h @ head
    pieces = jax.lax.all_gather(local, axis_name="model", axis=local.ndim - 1, tiled=True)  # want SHD213 "model"
    return pieces


print(logits(jnp.ones((4, 8)), jnp.ones((8, 16))).shape)

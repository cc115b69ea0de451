import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
CLIP = 1.0


def make_tx(lr, clip=None):
    stages = [optax.adamw(lr)]
    if clip is not None:
        stages.insert(0, optax.clip_by_global_norm(clip))
    return optax.chain(*stages)


tx = make_tx(1e-3, clip=CLIP)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P("fsdp")), out_specs=P("fsdp"))
def update(params, grads):
    state = tx.init(params)
    updates, state = tx.update(grads, state, params)  # want SHD219 "clip_by_global_norm"
    return optax.apply_updates(params, updates)


p = {"w": jnp.ones((16, 4)), "b": jnp.zeros((8,))}
print(jax.tree.map(jnp.shape, update(p, p)))

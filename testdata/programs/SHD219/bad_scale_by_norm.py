"""A trust ratio is computed from the local parts of parameters and gradients."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
MAX_NORM = 1.0


def clip(grads, max_norm):
    norm = optax.global_norm(grads)  # want SHD219 "global_norm.*fsdp"
    scale = jnp.minimum(1.0, max_norm / (norm + 1e-6))
    return jax.tree.map(lambda g: g * scale, grads)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P("fsdp")), out_specs=P("fsdp"))
def update(params, grads):
    return jax.tree.map(lambda p, g: p - g, params, clip(grads, MAX_NORM))


p = {"w": jnp.zeros((8, 4))}
print(jnp.linalg.norm(update(p, {"w": jnp.ones((8, 4))})["w"]))

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


def global_norm(tree, axis):
    squares = sum(jnp.sum(jnp.square(leaf)) for leaf in jax.tree.leaves(tree))
    return jnp.sqrt(jax.lax.psum(squares, axis))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P("fsdp")), out_specs=P("fsdp"))
def update(params, grads):
    norm = global_norm(grads, "fsdp")
    local = jax.lax.psum(optax.global_norm(grads) ** 2, "fsdp")
    grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / jnp.maximum(norm, jnp.sqrt(local))), grads)
    updates, _ = optax.sgd(0.1).update(grads, optax.sgd(0.1).init(params), params)
    return optax.apply_updates(params, updates)


p = {"w": jnp.ones((16, 4))}
print(jax.tree.map(jnp.shape, update(p, p)))

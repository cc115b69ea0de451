"""Norms of sharded gradients inside the map."""
import functools

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))
SPEC = P("fsdp")


def loss(shard, x):
    w = lax.all_gather(shard, "fsdp", tiled=True)
    return jnp.mean((x @ w) ** 2)


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(SPEC, P(), SPEC), out_specs=SPEC)
def step(w, opt, x):
    g = jax.grad(loss)(w, x)
    u, _ = tx.update(g, opt)  # want SHD219 "clip_by_global_norm.*fsdp"
    return optax.apply_updates(w, u)


w = jnp.ones((16, 2))
print(step(w, tx.init(w), jnp.ones((8, 16))))

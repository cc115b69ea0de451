from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
def step(params, x):
    grads = jax.grad(lambda p: jax.lax.pmean(jnp.mean((x @ p["w"]) ** 2), "data"))(params)
    updates, _ = tx.update(grads, tx.init(params), params)
    return optax.apply_updates(params, updates)


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
def plain(w):
    updates, _ = optax.sgd(0.1).update(w * 2, optax.sgd(0.1).init(w), w)
    return optax.apply_updates(w, updates)


print(step({"w": jnp.ones((4, 2))}, jnp.ones((16, 4)))["w"].shape, plain(jnp.ones(8)).shape, optax.global_norm(jnp.ones(3)))

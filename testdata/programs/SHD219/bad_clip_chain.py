from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import P
from jax.sharding import AxisType

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))


@partial(jax.shard_map, mesh=mesh, in_specs=(P("fsdp"), P()), out_specs=P("fsdp"))
def step(params, x):
    def loss(p):
        return jax.lax.psum(jnp.sum((p["w"] * x.sum()) ** 2), "fsdp")

    grads = jax.grad(loss)(params)
    updates, _ = tx.update(grads, tx.init(params), params)  # want SHD219 "fsdp"
    return optax.apply_updates(params, updates)


print(step({"w": jnp.ones((16, 2))}, jnp.ones(3))["w"].shape)

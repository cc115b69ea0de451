"""Independent members per device: each clips by its own norm, after reducing over the axis that shares a member."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("dp",))
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


def step(params, x):
    grads = jax.grad(lambda p: jax.lax.pmean(jnp.mean((x @ p["w"]) ** 2), "dp"))(params)
    updates, _ = tx.update(grads, tx.init(params), params)
    return optax.apply_updates(params, updates)


f = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("dp")), out_specs=P()))
print(f({"w": jnp.ones((4, 2))}, jnp.ones((16, 4)))["w"].shape)

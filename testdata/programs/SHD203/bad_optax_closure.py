"""shard_map without checks: the flag comes from a configuration, the update from optax."""
from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import P
from jax.sharding import AxisType

OPTIONS = {"check_vma": False}
mesh = jax.make_mesh((8,), ("workers",), axis_types=(AxisType.Auto,))
tx = optax.chain(optax.clip(1.0), optax.adam(1e-3))


def make_step(apply):
    def step(params, opt_state, x, y):
        def loss(p):
            return jnp.mean((apply(p, x) - y) ** 2)

        grads = jax.tree.map(lambda g: g.astype(jnp.float32), jax.grad(loss)(params))
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state  # want SHD203 "workers"

    rows = P(mesh.axis_names)
    return jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), rows, rows), out_specs=(P(), P()), **OPTIONS)


params = {"w": jnp.ones((4, 2)), "b": jnp.zeros((2,))}
step = jax.jit(make_step(lambda p, x: x @ p["w"] + p["b"]))
print(step(params, tx.init(params), jnp.ones((16, 4)), jnp.ones((16, 2)))[0]["b"])

"""Updates that stay local on purpose: an ensemble, parameters split over the axis, and averaging of the weights afterwards."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("member",))


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("member"), P()), out_specs=P("member"), check_vma=False)
def ensemble_step(ws, x):
    return ws - 0.1 * jax.vmap(jax.grad(loss), in_axes=(0, None))(ws, x)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("member")), out_specs=P(), check_vma=False)
def local_sgd(w, xs):
    for x in (xs, xs * 0.5):
        w = w - 0.1 * jax.grad(loss)(w, x)
    return jax.lax.pmean(w, "member")


x = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
print(ensemble_step(jnp.ones((8, 4)), x).shape, local_sgd(jnp.ones(4), x))

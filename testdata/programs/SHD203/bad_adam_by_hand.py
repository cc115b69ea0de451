"""Adam by hand in an unchecked map; the loss is averaged, the gradient is forgotten."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("replica",))


class Adam(NamedTuple):
    mu: dict
    nu: dict
    count: jax.Array


def adam_init(params):
    zeros = jax.tree.map(jnp.zeros_like, params)
    return Adam(zeros, zeros, jnp.zeros((), jnp.int32))


def adam_update(params, grads, state, lr=1e-2, b1=0.9, b2=0.999):
    count = state.count + 1
    mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mu, grads)
    nu = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state.nu, grads)
    params = jax.tree.map(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-8), params, mu, nu)  # want SHD203 "replica"
    return params, Adam(mu, nu, count)


def loss(params, batch):
    return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("replica")), out_specs=(P(), P(), P()), check_vma=False)
def train_step(params, state, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)
    params, state = adam_update(params, grads, state)
    return params, state, jax.lax.pmean(value, "replica")


params = {"w": jnp.zeros((4,))}
x = np.arange(64, dtype=np.float32).reshape(16, 4) / 64
batch = {"x": x, "y": np.sin(np.arange(16, dtype=np.float32))}
new, state, value = train_step(params, adam_init(params), batch)
print(np.asarray([s.data for s in new["w"].addressable_shards])[:, 0])

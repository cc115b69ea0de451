"""The gradient of a replicated weight is clipped before it is reduced: its norm is no sum of squares over devices."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("replica",))


def loss(params, x):
    return jnp.mean((x @ params["w"] + params["b"]) ** 2)


def step(params, x):
    grads = jax.grad(loss)(params, x)
    norm = optax.global_norm(grads)  # want SHD219 "global_norm.*before it is reduced over 'replica'"
    grads = jax.tree.map(lambda g: jax.lax.pmean(g / jnp.maximum(norm, 1.0), "replica"), grads)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


train = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("replica")), out_specs=P(), check_vma=False))
print(train({"w": jnp.ones((8, 4)), "b": jnp.zeros(4)}, jnp.ones((16, 8)))["b"])

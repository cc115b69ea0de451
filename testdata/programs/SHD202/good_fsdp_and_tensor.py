"""Sharded parameters are gathered inside the loss, and their gradient is reduced over what is left."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("fsdp", "replica"))


def gather(w):
    return lax.all_gather(w, "fsdp", axis=0, tiled=True)


def loss(w, x):
    return jnp.sum((x @ gather(w)) ** 2)


def step(w, x):
    w = lax.pcast(w, "replica", to="varying")
    grads = jax.grad(loss)(w, x)
    grads = lax.pmean(grads, "replica")
    return w - 0.1 * grads


def ensemble(ws, x):
    grads = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(ws[0])
    norm = lax.pmean(jnp.linalg.norm(grads), ("fsdp", "replica"))
    return ws - 0.1 * grads[None] / norm


@jax.custom_vjp
def straight_through(x):
    return jnp.round(x)


straight_through.defvjp(lambda x: (jnp.round(x), None), lambda _, g: (g,))


def quantized(w, x):
    g = jax.grad(lambda w: jnp.mean(straight_through(x @ w)))(w)
    return lax.psum(g, "fsdp")


w, x = jnp.ones((8, 2)), jnp.ones((16, 8))
print(jax.shard_map(ensemble, mesh=mesh, in_specs=(P(("fsdp", "replica")), P()), out_specs=P(("fsdp", "replica")))(jnp.ones((8, 8, 2)), x).shape)
split = jax.shard_map(quantized, mesh=mesh, in_specs=(P("fsdp"), P(None, "fsdp")), out_specs=P())
print(split(w, x).shape)

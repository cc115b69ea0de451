import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding


def update(params, opt, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    opt = 0.9 * opt + grads
    return params - 0.1 * opt, opt


def place(tree, mesh, spec):
    return jax.device_put(tree, NamedSharding(mesh, spec))


train_step = jax.jit(update)  # want SHD301 "donate_argnums=\(0, 1\)"

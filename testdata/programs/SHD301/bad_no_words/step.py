import jax
import jax.numpy as jnp


def make_step(lr):
    def update(params, batch):
        grads = jax.grad(lambda p: jnp.mean((batch @ p["w"] + p["b"]) ** 2))(params)
        return jax.tree.map(lambda p, g: p - lr * g, params, grads)

    return jax.jit(update)  # want SHD301 "donate"

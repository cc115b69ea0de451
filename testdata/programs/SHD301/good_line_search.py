"""A rejected step goes back to the old parameters."""
import jax
import jax.numpy as jnp


def loss(w):
    return jnp.sum((w - 3.0) ** 2)


@jax.jit
def propose(w, lr):
    return w - lr * jax.grad(loss)(w)


w, lr = jnp.zeros((64, 64)), 2.0
for _ in range(4):
    candidate = propose(w, lr)
    if loss(candidate) < loss(w):
        w = candidate
    else:
        lr *= 0.5
print(loss(w))

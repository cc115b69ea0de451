import functools

import jax
import jax.numpy as jnp


def train(steps, lr=0.1):
    w = jnp.ones(4)
    for i in range(steps):
        def loss(w):
            return jnp.sum(w**2) * (i + 1)

        g = jax.jit(jax.grad(loss))(w)  # want SHD311 "jax\.jit"
        w = w - lr * g
    return w


def evaluate(ws, scale):
    out = []
    i = 0
    while i < len(ws):
        out.append(jax.jit(functools.partial(jnp.multiply, scale))(ws[i]))  # want SHD311 "jax\.jit"
        i += 1
    return out


print(train(2), evaluate([jnp.ones(2)] * 2, 3.0))

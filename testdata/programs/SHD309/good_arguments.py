import functools

import jax
import jax.numpy as jnp
import numpy as np

TABLE = jnp.array([1.0, 2.0, 3.0])
HOST = np.ones((4, 4))
big = jnp.ones((512, 512))


@jax.jit
def outer(w, x):
    def inner(v):
        return v @ w

    return jax.lax.map(inner, x)


@functools.partial(jax.jit, static_argnums=1)
def scaled(x, n):
    return x * TABLE[:n].sum() + HOST.sum()


@jax.jit
def nested(w, x):
    f = jax.jit(lambda v: v @ w)
    return f(x)


def eager(x):
    return x @ big


print(outer(big, jnp.ones((2, 512))).shape, scaled(jnp.ones(3), 2).shape, nested(big, jnp.ones((2, 512))).shape, eager(jnp.ones((2, 512))).shape)
shape = big.shape
f = jax.jit(lambda x: jnp.zeros(shape) + x)
print(f(1.0).shape, jax.jit(functools.partial(jnp.matmul, precision="highest"))(big, big).shape)

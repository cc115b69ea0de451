import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, donate_argnums=(0, 1))
def update(params, opt, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    opt = 0.9 * opt + grads
    return params - opt, opt


@partial(jax.jit, donate_argnames="cache")
def write(cache, pos, value):
    return jax.lax.dynamic_update_slice(cache, value, (pos, 0)), cache[0].sum()


@partial(jax.jit, donate_argnums=0)
def rotate(x):
    return x.reshape(x.shape[::-1]).astype(jnp.int32)


p, o = jnp.ones((8, 4)), jnp.zeros((8, 4))
p, o = update(p, o, jnp.ones((2, 8)))
cache, total = write(jnp.zeros((16, 4)), 3, jnp.ones((1, 4)))
print(p.shape, o.shape, cache.shape, total, rotate(jnp.ones((4, 6))).shape)

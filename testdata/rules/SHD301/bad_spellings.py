"""The same in other spellings."""
import functools
import jax
import jax.numpy as jnp
from jax import jit


@functools.partial(  # want SHD301 "params, opt is replaced by the result of this jit in a loop"
    jax.jit,
    static_argnames=("lr",),
)
def step(params, opt, x, lr=0.1):
    return params - lr * x.mean(), opt + 1


@jit  # want SHD301 "w is replaced by the result of this jit in a loop, but its "
def other(w, x):
    return w - x.mean()


params, opt = jnp.ones((64, 64)), jnp.ones((64, 64))
w = jnp.ones((64, 64))
n = 0
while n < 3:
    params, opt = step(params, opt, jnp.ones(8), lr=0.2)
    w = other(w, jnp.ones(8))
    n += 1
print(params.sum(), opt.sum(), w.sum())

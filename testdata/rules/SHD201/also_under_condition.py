from jax import grad, jit, lax
import jax.numpy as jnp


@jit
def step(w, x):
    g = grad(lambda w: ((x @ w) ** 2).mean())(w)
    if x.ndim > 1:
        g = lax.pmean(  # want SHD201 "pmean over 'batch', but nothing binds that axis: under jit v"
            g, 'batch')
    return w - lax.pmean(g + 1.0, 'batch') * 2  # want SHD201 "pmean over 'batch', but nothing binds that axis: under jit v"


print(step(jnp.ones(4), jnp.ones((8, 4))))

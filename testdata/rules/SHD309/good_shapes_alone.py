"""No data of the array is read: the compiled program holds no constant of it."""
import jax
import jax.numpy as jnp

table = jnp.ones((1024, 1024))


@jax.jit
def f(x):
    return x + jnp.zeros_like(table) + jnp.full_like(table, 2) + jax.lax.full_like(table, 1) + len(table) + jnp.size(table) + jnp.shape(table)[0]


print(f(1.0).shape)

"""Of the large table only shapes and types are asked for: it is no constant of the programs."""
import jax
import jax.numpy as jnp

table = jnp.ones((512, 512))


@jax.jit
def zeros(x):
    return x + jax.tree.map(jnp.zeros_like, table)[0, 0]


@jax.jit
def named(x):
    return x + jnp.zeros_like(a=table)[0, 0]


@jax.jit
def shaped(x):
    return x.reshape(jax.eval_shape(lambda: table).shape)


print(zeros(1.0), named(1.0), shaped(jnp.ones(512 * 512)).shape)

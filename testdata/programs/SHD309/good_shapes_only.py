"""Only the shape and dtype of the outer array are read."""
import jax
import jax.numpy as jnp

reference = jnp.ones((1024, 256), jnp.bfloat16)


@jax.jit
def pad_like(x):
    rows = reference.shape[0] - x.shape[0]
    return jnp.pad(x.astype(reference.dtype), ((0, rows), (0, 0))) + jnp.zeros_like(x, shape=(reference.shape))


print(pad_like(jnp.ones((8, 256))).shape, len(reference))

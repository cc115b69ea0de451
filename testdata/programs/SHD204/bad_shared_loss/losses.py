import jax
import jax.numpy as jnp


def global_mean_squared(w, x, axis="i"):
    total = jnp.sum((x * w) ** 2)
    count = jax.lax.psum(x.size, axis)
    return jax.lax.psum(total, axis_name=axis) / count  # want SHD204 "i"

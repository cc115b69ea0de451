import jax
import jax.numpy as jnp


def accumulate(f, xs, init=0.0):
    def body(i, total):
        return total + f(xs[i])

    return jax.lax.fori_loop(0, xs.shape[0], body, jnp.float32(init))  # want SHD208 "data"

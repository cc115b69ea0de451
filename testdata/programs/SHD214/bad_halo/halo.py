import jax
import jax.numpy as jnp


def pairs(n, shift):
    return [(i, i + shift) for i in range(n) if i + shift >= 0]


def exchange(u, axis, n):
    from_left = jax.lax.ppermute(u[-1:], axis, pairs(n, 1))  # want SHD214 "8"
    from_right = jax.lax.ppermute(u[:1], axis, pairs(n, -1))
    return jnp.concatenate([from_left, u, from_right])[1:-1] + from_left.sum() + from_right.sum()

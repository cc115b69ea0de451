"""Averages what a gradient function returns over the workers."""
import functools

import jax


def synced(grad_fn, axis="dp"):
    @functools.wraps(grad_fn)
    def wrapped(*args, **kwargs):
        grads = grad_fn(*args, **kwargs)
        return jax.lax.pmean(grads, axis)  # want SHD202 "dp"

    return wrapped

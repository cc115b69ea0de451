"""Collectives with names given by the caller."""
from jax import lax

GROUP = "workers"


def total(x, axis=GROUP):
    return lax.psum(x, axis)  # want SHD201 "workers"


def mean(x, axis=GROUP):
    return total(x, axis) / total(1, axis)

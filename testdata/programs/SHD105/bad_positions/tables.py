"""Sinusoidal positions of a text tower, kept on the sequence axis."""
from functools import partial

import jax
import jax.numpy as jnp

from layout import SPECS


@partial(jax.jit, static_argnames="length")
def make_positions(*, length, width=32):
    angle = jnp.arange(length)[:, None] / 10000 ** (jnp.arange(width // 2)[None, :] / width)
    table = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], axis=-1)
    return jax.lax.with_sharding_constraint(table, SPECS["positions"])  # want SHD105 "77.*4"

"""Reductions over trees."""
from functools import partial

import jax

from .layout import AXES


def mean_over(tree, axis=AXES.data):
    return jax.tree.map(partial(jax.lax.pmean, axis_name=axis), tree)  # want SHD202 "dp"


def sum_over(tree, axis=AXES.data):
    return jax.tree.map(lambda leaf: jax.lax.psum(leaf, axis), tree)

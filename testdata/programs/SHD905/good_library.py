"""A library whose callers this file does not hold: they may target a release that does not warn, and call pjit inside."""
import jax
import numpy as np
from jax.sharding import Mesh

mesh = Mesh(np.array(jax.devices()), ("data",))


def within(run, *args):
    with mesh:
        return run(*args)

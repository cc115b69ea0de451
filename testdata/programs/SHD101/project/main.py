import jax
import jax.numpy as jnp

import lib.meshes
from lib import axes, build_mesh, ns
from lib.axes import *

mesh = build_mesh()
rows = ns(mesh, axes.BATCH)
cols = ns(mesh, None, HIDDEN)  # want SHD101 "hidden"


@jax.jit
def f(x):
    return lib.meshes.constrain(x)


with mesh:
    f(jnp.ones((8, 8)))

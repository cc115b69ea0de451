import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from . import axes
from .axes import BATCH


def build_mesh(shape=(4, 2)):
    return Mesh(np.array(jax.devices()).reshape(shape), (BATCH, axes.MODEL))


def named(mesh, *names):
    return NamedSharding(mesh, P(*names))


def constrain(x):
    return jax.lax.with_sharding_constraint(x, P(BATCH, axes.HIDDEN))  # want SHD101 "hidden"

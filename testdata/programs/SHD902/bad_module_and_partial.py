"""Deprecated functions reached through the module, a partial, and a dictionary."""
import functools

import jax
import jax.experimental.shard_map as shmap
import jax.numpy as jnp
import numpy as np
from jax.experimental import pjit
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
mapped = functools.partial(shmap.shard_map, mesh=mesh, in_specs=P("data"))  # want SHD902 "shard_map"


@functools.partial(mapped, out_specs=P())
def total(x):
    return jax.lax.psum(x.sum(), "data")


COMPILERS = {"jit": jax.jit, "pjit": pjit.pjit}  # want SHD902 "pjit"


def compile_with(kind, fn):
    return COMPILERS[kind](fn)


print(total(jnp.ones((16, 2))), compile_with("pjit", jnp.sin)(1.0))

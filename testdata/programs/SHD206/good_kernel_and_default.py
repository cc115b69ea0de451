"""The check is off around one kernel alone, and a flag that a caller leaves at True keeps it on."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def _scale_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


def scale(x, *, interpret=True):
    call = pl.pallas_call(_scale_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=interpret)
    return call(x)


def over_rows(f, check=True):
    return jax.shard_map(f, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=check)


@partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False)
def fast_scale(x):
    return scale(x)


print(jax.jit(over_rows(jnp.tanh))(fast_scale(jnp.ones((16, 4)))).shape)

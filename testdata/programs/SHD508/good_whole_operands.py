"""A kernel runs in shard_map where its operand is spread, and under jit where every operand is on one device."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def double(x):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


spread = functools.partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_vma=False)
print(jax.jit(lambda x: spread(double)(x))(jax.device_put(np.ones((8, 128), np.float32), NamedSharding(mesh, P("data")))).shape)
print(jax.jit(double)(jnp.ones((8, 128))).shape)

"""The moments live in host memory; the update forgets to bring one of them over."""
import functools
import typing

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


class Moments(typing.NamedTuple):
    mu: jax.Array
    nu: jax.Array


def memory(kind):
    return NamedSharding(mesh, P("data"), memory_kind=kind)


device, host = memory("device"), memory("pinned_host")


def init_moments(params):
    zeros = np.zeros(params.shape, np.float32)
    return Moments(jax.device_put(zeros, host), jax.device_put(zeros, host))


@jax.jit
def update(params, moments, grads):
    mu = jax.device_put(moments.mu, device) * 0.9 + grads
    nu = 0.99 * moments.nu + grads * grads  # want SHD808 "pinned_host"
    return params - 1e-3 * mu * jax.lax.rsqrt(nu + 1e-8)


params = jax.device_put(np.ones((8, 4), np.float32), device)
print(update(params, init_moments(params), params).shape)

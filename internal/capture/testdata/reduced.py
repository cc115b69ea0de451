"""A step on Explicit axes whose weights are reduced over data, so that their gradients come back unreduced."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))
jax.set_mesh(mesh)


@jax.jit
def step(w, x):
    return jax.grad(lambda w: jax.sharding.reshard(jnp.tanh(x @ w), P("data", None)).sum())(w)


w = jax.device_put(jnp.ones((4, 4)), NamedSharding(mesh, P(None, None, reduced={"data"})))
x = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data", None)))
print(jax.typeof(step(w, x)))

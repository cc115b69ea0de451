from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P("data"))
def per_example(params, x, y):
    def loss(p, xi, yi):
        return jnp.sum((xi @ p - yi) ** 2)
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)  # want SHD212 "data"


def influence(theta, x):
    out, pull = jax.vjp(lambda t: t * x.sum(), theta)
    return pull(jnp.ones_like(out))[0][None]  # want SHD212 "data"


f = jax.shard_map(influence, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))


def forces(x, theta):
    return jax.grad(lambda v: jnp.sum(theta * v ** 2))(x)


g = jax.shard_map(forces, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"))
per_example(jnp.ones((3,)), jnp.ones((8, 3)), jnp.ones((8,)))

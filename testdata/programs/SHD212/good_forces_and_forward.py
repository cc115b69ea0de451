from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("atoms",))


@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("atoms")), out_specs=(P("atoms"), P(), P("atoms")))
def step(params, pos):
    energy = lambda p, r: jnp.sum(p["k"] * r ** 2)
    forces = -jax.grad(energy, argnums=1)(params, pos)
    total = jax.grad(lambda p: jax.lax.psum(energy(p, pos), "atoms"))(params)
    tangents = jax.jacfwd(lambda k: k * pos)(params["k"])
    return forces, total, tangents


print(jax.tree.map(jnp.shape, step({"k": jnp.float32(2.0)}, jnp.ones((8, 3)))))

"""A constraint bound by partial, applied over a tree of returned gradients."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(8), ("fsdp",))
fsdp = functools.partial(jax.lax.with_sharding_constraint, shardings=NamedSharding(mesh, P("fsdp")))
params = {"w": jnp.ones((10, 4))}


@jax.jit
def grads(p, x):
    g = jax.grad(lambda p: ((x @ p["w"]) ** 2).mean())(p)
    return jax.tree.map(fsdp, g)  # want SHD105 "10.*8"


print(grads(params, jnp.ones((16, 10)))["w"].sharding)

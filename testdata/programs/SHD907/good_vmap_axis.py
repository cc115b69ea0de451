import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("batch",))


def step(w, x):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.1 * jax.lax.pmean(g, "members")


ensemble = jax.vmap(step, axis_name="members", in_axes=(None, 0))
mapped = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("batch"), out_specs=P("batch"))
print(jax.jit(ensemble)(jnp.ones(4), mapped(jnp.ones((8, 2, 4)))).shape)

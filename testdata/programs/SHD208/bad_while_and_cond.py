"""while_loop with a constant start and a branch that returns a constant."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))


def power(x, steps=3):
    def body(state):
        i, v = state
        return i + 1, v * x.mean()

    _, v = jax.lax.while_loop(lambda s: s[0] < steps, body, (0, jnp.ones(())))  # want SHD208 "i"
    return v[None]


def guarded(x):
    def some(x):
        return x.sum()

    def none(_):
        return jnp.zeros(())

    return jax.lax.cond(x.shape[0] > 1, some, none, x)[None]  # want SHD208 "i"


for f in (power, guarded):
    print(jax.shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(jnp.ones(16)))

"""One generator of pairs for keys and for values."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

N = 8
mesh = Mesh(np.array(jax.devices()), ("ring",))


def ring(n, shift=1):
    return ((i, (i + shift) % n) for i in range(n))


@partial(jax.shard_map, mesh=mesh, in_specs=(P("ring"), P("ring")), out_specs=P("ring"))
def rotate(k, v):
    pairs = ring(N)
    k = jax.lax.ppermute(k, "ring", pairs)
    v = jax.lax.ppermute(v, "ring", perm=pairs)  # want SHD214 "pairs|iterator"
    return k + v


print(rotate(jnp.arange(8.0), 10 * jnp.arange(8.0)))

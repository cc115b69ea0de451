import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


def body(x, w):
    y = jnp.dot(x, w)
    return {"norm": jnp.linalg.norm(y), "y": y}


f = jax.shard_map(body, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"))  # want SHD210 "rank 0"
g = jax.shard_map(lambda x: (x.max(), x.max(axis=0, keepdims=True)), mesh=mesh, in_specs=P("data"),
                  out_specs=(P("data"), P("data")))  # want SHD210 "rank 0"
h = jax.shard_map(lambda x: jnp.atleast_1d(x.sum()), mesh=mesh, in_specs=P("data"), out_specs=P("data"))
f(jnp.ones((8, 4)), jnp.ones((4,)))

"""Last place, several rows at a traced position, an unsharded dimension, and a position that is not known."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LENGTH = 32
mesh = Mesh(np.array(jax.devices()), ("seq",))
rows = NamedSharding(mesh, P("seq"))
columns = NamedSharding(mesh, P(None, "seq"))


@jax.jit
def last(cache, row):
    return lax.dynamic_update_slice_in_dim(cache, row[None], LENGTH - 1, axis=0)


@jax.jit
def many(cache, block, start):
    return lax.dynamic_update_slice(cache, block, (start, 0))


@jax.jit
def at(cache, row, position):
    return lax.dynamic_update_slice(cache, row[None], (position % LENGTH, 0))


cache = jax.device_put(np.zeros((LENGTH, 8), np.float32), rows)
other = jax.device_put(np.zeros((LENGTH, 8), np.float32), columns)
row = jnp.ones(8)
print(float(last(cache, row).sum()), float(many(cache, jnp.ones((2, 8)), LENGTH).sum()), float(at(cache, row, 40).sum()))
print(float(jax.jit(lambda c: lax.dynamic_update_slice(c, row[None], (LENGTH, 0)))(other).sum()))

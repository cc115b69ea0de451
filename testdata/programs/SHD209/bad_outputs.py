"""Numbers of outputs that do not fit."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("i",))
ROWS, ALL = PartitionSpec("i"), PartitionSpec()


def step(state, x):
    loss = jax.lax.pmean(x.mean(), "i")
    return state + 1, loss, x * 2


OUT = (ALL, ALL)


@jax.jit
def train(state, x):
    mapped = jax.shard_map(step, mesh=mesh, in_specs=(ALL, ROWS), out_specs=OUT)  # want SHD209 "out_specs"
    return mapped(state, x)


def pair(x):
    return x, -x


both = jax.shard_map(pair, mesh=mesh, in_specs=ROWS, out_specs=(ROWS,) * 3)  # want SHD209 "out_specs"
for call in (lambda: train(jnp.zeros(()), jnp.ones(8)), lambda: both(jnp.ones(8))):
    print(call())

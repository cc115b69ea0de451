"""The outputs have another form than their specs."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))


class State(NamedTuple):
    w: jax.Array
    m: jax.Array


def step(state, x):
    loss = lax.pmean((x @ state.w).mean(), "d")
    return State(state.w * 2, state.m + 1)


run = jax.shard_map(
    step,
    mesh=mesh,
    in_specs=(P(), P("d")),
    out_specs=(State(P(), P()), P()),  # want SHD209 "out_specs"
)
print(run(State(jnp.ones(4), jnp.ones(4)), jnp.ones((8, 4))))

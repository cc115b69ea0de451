"""The legacy function, momentum by hand, and a tree of layers."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("d",))


class State(NamedTuple):
    params: list
    momentum: list


def forward(params, x):
    for layer in params:
        x = jnp.tanh(x @ layer["w"])
    return x


@partial(shard_map, mesh=mesh, in_specs=(P(), P("d")), out_specs=P(), check_rep=False)
def update(state, x):
    grads = jax.grad(lambda p: jnp.mean(forward(p, x) ** 2))(state.params)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state.momentum, grads)
    params = jax.tree.map(lambda p, m: p - 0.1 * m, state.params, momentum)  # want SHD203 "d"
    return State(params, momentum)


layers = [{"w": jnp.eye(4)} for _ in range(2)]
state = State(layers, jax.tree.map(jnp.zeros_like, layers))
print(update(state, jnp.ones((16, 4))).params[0]["w"][0, 0])

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, PartitionSpec as P

from clip import clipped


def make_step(axis):
    mesh = Mesh(np.array(jax.devices()), (axis,))

    def step(params, grads):
        grads, norm = clipped({"w": grads}, 0.5)
        return params - 0.1 * grads["w"], norm[None]

    return jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(axis), P(axis)), out_specs=(P(axis), P(axis))))

"""A helper builds its own mesh and maps over it inside the context of the training mesh."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import P
from jax.sharding import AxisType, Mesh

train_mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


@functools.cache
def eval_mesh():
    return Mesh(np.array(jax.devices()), ("batch",))


def evaluate(x):
    @functools.partial(jax.shard_map, mesh=eval_mesh(), in_specs=P("batch"), out_specs=P())  # want SHD313 "mesh"
    def total(block):
        return jax.lax.psum(block.sum(), "batch")

    return total(x)


with jax.set_mesh(train_mesh):
    print(evaluate(jnp.ones(16)))

"""shard_map over another mesh than the context."""
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

train_mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
eval_mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


@functools.partial(jax.shard_map, mesh=eval_mesh, in_specs=P("data"), out_specs=P())  # want SHD313 "eval_mesh.*train_mesh"
def total(x):
    return jax.lax.psum(x.sum(), "data")


def evaluate(x):
    return total(x) / x.size


with jax.set_mesh(train_mesh):
    print(jax.jit(evaluate)(jnp.ones(8)))

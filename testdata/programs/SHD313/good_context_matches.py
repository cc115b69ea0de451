"""One mesh at a time, or the mesh of the context itself."""
import contextlib
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

meshes = {
    "train": jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2),
    "eval": jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,)),
}


def total(mesh=None):
    axes = mesh.axis_names if mesh is not None else jax.sharding.get_abstract_mesh().axis_names
    f = partial(jax.shard_map, mesh=mesh) if mesh is not None else jax.shard_map
    return f(lambda x: jax.lax.psum(x.sum(), axes), in_specs=P(axes), out_specs=P())


for name, mesh in meshes.items():
    with jax.set_mesh(mesh):
        print(name, total()(jnp.ones(16)), total(mesh)(jnp.ones(16)))
print(total(meshes["eval"])(jnp.ones(16)))

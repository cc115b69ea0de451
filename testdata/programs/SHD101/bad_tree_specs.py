"""Specs by path with tree_map_with_path, zip over axis names, and a constraint with a spec from a closure."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

names, sizes = ("data", "model"), (4, 2)
mesh = Mesh(mesh_utils.create_device_mesh(sizes), names)
size_of = dict(zip(names, sizes))


def fsdp(leaf, axis="fsdp"):
    return P(axis) if leaf.ndim else P()  # want SHD101 "fsdp"


def layout(params):
    specs = jax.tree.map(fsdp, params)
    return jax.tree.map(partial(NamedSharding, mesh), specs, is_leaf=lambda s: isinstance(s, P))


def make_block(spec):
    def block(x):
        return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, spec))

    return jax.jit(block)


params = {"w": jnp.ones((16, 4)), "scale": jnp.ones(())}
inner = make_block(P("data", mesh.axis_names[1]))
outer = make_block(P("data", "modl"))  # want SHD101 "modl"
print(inner(jnp.ones((8, 4))).sharding)
placed = jax.device_put(params, layout(params))
print(outer(jnp.ones((8, 4))).sharding, placed)

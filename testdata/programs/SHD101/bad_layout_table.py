"""Layouts come from a table of names, made in a loop and read by f-strings."""
from typing import Final

import jax
import jax.numpy as jnp
import numpy as onp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

PREFIX: Final = "mesh"
AXES: Final[tuple[str, ...]] = tuple(f"{PREFIX}_{n}" for n in ("x", "y"))
devices = onp.asarray(jax.devices()).reshape(2, 4)
mesh = Mesh(devices, AXES)

LAYOUTS = {}
for name, axes in [("embed", ("x", None)), ("mlp", (None, "y")), ("head", (None, "z"))]:
    LAYOUTS[name] = P(*[f"{PREFIX}_{a}" if a is not None else None for a in axes])  # want SHD101 "mesh_z"


def place(tree):
    return {
        "embed": jax.device_put(tree["embed"], NamedSharding(mesh, LAYOUTS["embed"])),
        "head": jax.device_put(tree["head"], NamedSharding(mesh, LAYOUTS["head"])),
    }


params = {"embed": jnp.ones((8, 4)), "head": jnp.ones((4, 8))}
print(place(params)["embed"].sharding)

"""Specs out of a dictionary of keyword arguments, by comprehension, by f-string and by a walrus."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("dp", "mp"))
STAGE = 0
TABLE = {
    "embedding": ("mp", None),
    "attention": (None, f"mp{STAGE}"),
}


def named(*, mesh, spec):
    return NamedSharding(mesh, spec)


def place(name, value):
    if (axes := TABLE.get(name)) is not None:
        return jax.device_put(value, named(**{"mesh": mesh, "spec": P(*axes)}))  # want SHD101 "mp0"
    return value


arrays = {name: np.ones((8, 8), np.float32) for name in TABLE}
placed = {name: place(name, value) for name, value in arrays.items()}
print({k: v.sharding for k, v in placed.items()})

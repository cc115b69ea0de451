"""Logical names are mapped to mesh axes by a table; one entry names an axis of the old mesh."""
import re

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESH_SHAPE = {"dp": 2, "tp": 4}
mesh = jax.make_mesh(tuple(MESH_SHAPE.values()), tuple(MESH_SHAPE), axis_types=(AxisType.Auto,) * len(MESH_SHAPE))

RULES = {
    "batch": "dp",
    "embed": None,
    "heads": "tp",
    "mlp": ("tp", "fsdp"),
}
LAYERS = (("wq", ("embed", "heads")), ("up", ("embed", "mlp")))


def to_spec(logical):
    return P(*(RULES[name] for name in logical))  # want SHD101 "fsdp"


def to_shardings(layers):
    out = {}
    for name, logical in layers:
        out[name] = NamedSharding(mesh, to_spec(logical))
    return out


params = {"wq": jnp.ones((8, 8)), "up": jnp.ones((8, 16))}
print(jax.device_put(params, to_shardings(LAYERS))["wq"].sharding)

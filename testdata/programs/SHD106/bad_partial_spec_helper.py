"""Dimensions that are left open, given to jit's out_shardings through a table."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

OPEN = P.UNCONSTRAINED
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
OUTPUTS = {"hidden": (OPEN, "model"), "logits": ("data", None)}


def shardings(table):
    return {name: NamedSharding(mesh, P(*axes)) for name, axes in table.items()}


def forward(x):
    return {"hidden": jnp.tanh(x), "logits": x * 2}


run = jax.jit(forward, out_shardings=shardings(OUTPUTS))  # want SHD106 "out_shardings"
print(run(jnp.ones((8, 4)))["hidden"].shape)

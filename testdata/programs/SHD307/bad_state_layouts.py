"""in_shardings from a table; the placement uses another entry."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
SPECS = {"rows": P("data"), "cols": P(None, "model"), "full": P()}
S = {k: NamedSharding(mesh, v) for k, v in SPECS.items()}


@partial(jax.jit, in_shardings=(S["cols"], S["rows"]), out_shardings=S["rows"])
def forward(w, x):
    return x @ w


def place(kind, *shape):
    return jax.device_put(jnp.ones(shape), S[kind])


w = place("full", 8, 8)
x = place("rows", 8, 8)
print(forward(w, x).shape)  # want SHD307 "P\(\).*P\(None, 'model'\)"

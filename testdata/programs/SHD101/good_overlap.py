"""Names that look alike, unused helpers and values that only look wrong."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
SPECS = {"x": P("data", None), "w": P(None, "model"), "unused": P("expert")}
ALL = tuple(mesh.axis_names)


def shardings(names):
    return {n: NamedSharding(mesh, SPECS[n]) for n in names if n in SPECS and n != "unused"}


s = shardings(["x", "w", "missing"])
x = jax.device_put(jnp.ones((8, 4)), s["x"])
w = jax.device_put(jnp.ones((4, 6)), s["w"])


@functools.partial(jax.jit, in_shardings=(s["x"], s["w"]), out_shardings=NamedSharding(mesh, P(*ALL)))
def matmul(x, w):
    return x @ w


def flatten(spec):
    return [a for e in spec for a in (e if isinstance(e, tuple) else (e,)) if a]


rest = [a for a in ALL if a not in flatten(SPECS["x"])]
y = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data", *rest)))
z = jax.device_put(jnp.ones((8,)), NamedSharding(mesh, P(ALL)))
try:
    bad = jax.device_put(jnp.ones((3,)), NamedSharding(mesh, P("data")))
except ValueError:
    bad = None
n = len(jax.devices()) // 2
print(matmul(x, w), y.sharding, z.sharding, bad, functools.reduce(lambda a, b: a * b, mesh.shape.values()))


@functools.partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P("model")), out_specs=(P("data"), P("model"), P()))
def mixed(a, b):
    total = lax.psum(a.sum(), "data") + lax.psum(b.sum(), "model")
    scale = lax.pmax(jnp.abs(b).max(), "model")
    centered = a - lax.pmean(a.mean(), "data")
    for _ in range(2):
        centered = centered * scale
    return centered, b / scale, total


print(mixed(jnp.ones(8), jnp.ones(4)))

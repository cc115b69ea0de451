"""Explicit axes on purpose, automatic ones by every spelling, and partial maps."""
from functools import partial

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

AUTO = AxisType.Auto
NAMES = ("data", "model")
KW = {"axis_types": (AUTO,) * len(NAMES)} if hasattr(jax.sharding, "AxisType") else {}
mesh = jax.make_mesh((4, 2), NAMES, **KW)
auto_mesh = partial(jax.make_mesh, axis_types=tuple(AUTO for _ in NAMES))
second = auto_mesh((2, 4), NAMES)

try:
    from jax.sharding import AxisType as Kind

    third = jax.make_mesh((8,), ("data",), axis_types=(Kind.Auto,))
except ImportError:
    third = jax.make_mesh((8,), ("data",))

# only placements: explicit or not makes no difference to them
storage = jax.make_mesh((8,), ("rows",))
table = jax.device_put(jnp.ones((16, 4)), NamedSharding(storage, P("rows")))
total = jax.jit(jnp.sum)(table)


def constrained(m, x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(m, P("data")))


for m in (mesh, second, third):
    print(jax.jit(partial(constrained, m))(jnp.ones((8, 4))).shape)
inner = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=mesh, in_specs=P("data"), out_specs=P(), axis_names={"data"})
print(jax.jit(inner)(jnp.ones((8, 4))).shape, total)

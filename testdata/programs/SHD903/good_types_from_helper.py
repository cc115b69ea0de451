"""Axis types by keyword dictionary, by a helper, and a mesh that is only used to place arrays."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def auto(n):
    return {"axis_types": (AxisType.Auto,) * n}


mesh = jax.make_mesh((4, 2), ("data", "model"), **auto(2))
store = jax.make_mesh((8,), ("rows",))
x = jax.device_put(np.ones((8, 4), np.float32), NamedSharding(store, P("rows")))
f = jax.jit(lambda v: jax.lax.with_sharding_constraint(v * 2, NamedSharding(mesh, P("data"))))
print(f(np.ones((8, 4), np.float32)).sharding.spec, np.asarray(x).sum())

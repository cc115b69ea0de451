"""Arguments that were moved, that are not committed, or that jit takes as they are."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
rows, full = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
step = jax.jit(lambda w, x: x @ w, in_shardings=(full, rows), out_shardings=rows)
free = jax.jit(lambda w, x: x @ w)


def call(f, w, x):
    return f(jax.device_put(w, full), x)


w = jax.device_put(np.ones((8, 8), np.float32), rows)
x = np.ones((8, 8), np.float32)
print(call(step, w, x).sharding.spec, step(jnp.ones((8, 8)), jnp.ones((8, 8))).sharding.spec, free(w, x).shape)

"""The context is left before the function with bare specs is called."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
SPECS = dict(in_shardings=(P("data"), P()), out_shardings=P("data"))


def build():
    with jax.set_mesh(mesh):
        step = jax.jit(lambda x, w: x * w, **SPECS)  # want SHD312 "set_mesh"
        print(step(np.ones(8), np.ones(8)).sharding.spec)
    return step


step = build()
print(step(np.ones(8), 2.0).sum())

"""set_mesh in its three forms, and objects of our own that are entered."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


class Recorder:
    def __init__(self, mesh):
        self.mesh = mesh

    def __enter__(self):
        return self.mesh

    def __exit__(self, *error):
        return False


@contextlib.contextmanager
def active(m):
    with jax.set_mesh(m):
        yield m


f = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("data")))
with active(mesh), Recorder(mesh) as m:
    print(f(jnp.ones(8)).sharding.spec, m.axis_names)
jax.set_mesh(mesh)
print(f(jnp.ones(8)).sharding.spec)

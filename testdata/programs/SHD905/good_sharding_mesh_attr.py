"""set_mesh, use_abstract_mesh and locks."""
import contextlib
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
lock = threading.Lock()
with lock, jax.set_mesh(mesh):
    print(jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("data")))(jnp.ones(8)).sharding.spec)
with contextlib.ExitStack() as stack:
    stack.enter_context(jax.set_mesh(mesh))
    print(jax.sharding.get_abstract_mesh().axis_names)
ctx = jax.set_mesh(mesh) if hasattr(jax, "set_mesh") else mesh
with ctx:
    print(jnp.ones(2).sum())

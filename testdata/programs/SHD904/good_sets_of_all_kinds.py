"""Sets by comprehension, from constants, frozensets; the mesh from the context."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
MANUAL = frozenset(["data"])
a = jax.shard_map(lambda x: x, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names=MANUAL)
b = jax.shard_map(lambda x: x, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names={n for n in mesh.axis_names if n != "model"})
c = jax.shard_map(lambda x: x, mesh=mesh, in_specs=P("data"), out_specs=P("data"), axis_names=set(mesh.axis_names) - {"model"})
with jax.set_mesh(mesh):
    d = jax.jit(jax.shard_map(lambda x: x, in_specs=P("data"), out_specs=P("data"), axis_names={"data"}))(jnp.ones(8))
print([jax.jit(f)(jnp.ones(8)).sum() for f in (a, b, c)], d.sum())

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
same = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
other = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
f = jax.shard_map(lambda x: x * 2, mesh=same, in_specs=P("d"), out_specs=P("d"))
g = jax.shard_map(lambda x: x * 2, in_specs=P("a"), out_specs=P("a"))
h = jax.shard_map(lambda x: x * 3, mesh=other, in_specs=P("a"), out_specs=P("a"))
with jax.set_mesh(mesh):
    print(jax.jit(f)(jnp.ones(8)))
with jax.set_mesh(other):
    print(jax.jit(g)(jnp.ones(8)), h(jnp.ones(8)))
print(h(jnp.ones(8)))
with mesh:
    print(jax.jit(f)(jnp.ones(8)))

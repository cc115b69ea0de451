"""A dimension is added, kept, or the spec is empty."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
smap = lambda f, o: jax.shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=o)(jnp.ones((16, 4)))
print(smap(lambda x: x.mean()[None], P("d")))
print(smap(lambda x: jnp.expand_dims(x.sum(), 0), P("d")))
print(smap(lambda x: x.sum(keepdims=True), P("d")))
print(smap(lambda x: jnp.atleast_1d(x.max()), P("d")))
print(smap(lambda x: jnp.array([x.sum()]), P("d")))
print(smap(lambda x: jnp.stack([x.sum(), x.max()]), P("d")))
print(smap(lambda x: x.mean().reshape(1, 1), P("d", None)))
print(smap(lambda x: jax.lax.pmean(x.mean(), "d"), P()))
print(smap(lambda x: x.sum(-1), P("d")))
print(smap(lambda x: jnp.dot(x, x.T), P("d")))
print(smap(lambda x: jnp.full((1,), x.sum()), P("d")))

import jax
import jax.numpy as jnp
from functools import partial
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
smap = partial(jax.shard_map, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
print(smap(lambda x: x.sum(keepdims=True))(jnp.ones(8)).shape, smap(lambda x: x.sum(-1))(jnp.ones((8, 2))).shape)
print(smap(lambda x: jnp.stack([x.mean(), x.max()])[None])(jnp.ones(8)).shape, smap(lambda x: jnp.atleast_1d(x.sum()))(jnp.ones(8)).shape)
print(jax.pmap(lambda x: x.sum())(jnp.ones((8, 2))).shape, smap(lambda x: jnp.expand_dims(x.sum(), 0))(jnp.ones(8)).shape)

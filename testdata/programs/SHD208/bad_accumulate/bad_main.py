import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

from loops import accumulate

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def energy(xs):
    return accumulate(lambda x: jnp.sum(x**2), xs)[None]


print(jax.shard_map(energy, mesh=mesh, in_specs=P("data"), out_specs=P("data"))(jnp.ones((16, 4))))

import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit, AxisType.Explicit))


def shard(x, *names):
    return jax.device_put(x, NamedSharding(mesh, P(*names)))

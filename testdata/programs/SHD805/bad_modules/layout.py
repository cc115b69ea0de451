import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("fsdp",), axis_types=(AxisType.Auto,))


def place(tree):
    return jax.device_put(tree, NamedSharding(mesh, P("fsdp")))

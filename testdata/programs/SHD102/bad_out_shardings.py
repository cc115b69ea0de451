import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

axis_names = [f"axis{i}" for i in range(2)]
mesh = jax.make_mesh((4, 2), axis_names, axis_types=(AxisType.Auto,) * 2)
shardings = {k: NamedSharding(mesh, P(*v)) for k, v in {  # want SHD102 "axis0"
    "kernel": (None, "axis1"),
    "embedding": (("axis0", "axis1"), "axis0"),
}.items()}
init = jax.jit(lambda: {"kernel": jnp.ones((4, 8)), "embedding": jnp.ones((8, 4))}, out_shardings=shardings)
print(init()["kernel"].sharding)

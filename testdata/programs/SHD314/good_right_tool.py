"""The tool that fits the type of the axis, chosen by asking the mesh."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

auto = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
explicit = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))


def place(x, mesh):
    sharding = NamedSharding(mesh, P("data"))
    if AxisType.Explicit in mesh.axis_types:
        return jax.sharding.reshard(x, sharding)
    return jax.lax.with_sharding_constraint(x, sharding)


for mesh in (auto, explicit):
    with jax.set_mesh(mesh):
        print(jax.jit(place, static_argnums=1)(jnp.ones(8), mesh).sharding.spec)

"""Only the axes that are still automatic are constrained."""
import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))


def constrain(x, *names):
    manual = set(jax.sharding.get_abstract_mesh().manual_axes)
    names = tuple(None if n in manual else n for n in names)
    if all(n is None for n in names):
        return x
    return jax.lax.with_sharding_constraint(x, P(*names))


def layer(x):
    return constrain(jnp.sin(x), "data", "model")


with jax.set_mesh(mesh):
    print(jax.jit(layer)(jnp.ones((8, 8))).sharding.spec)
    region = jax.shard_map(layer, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})
    print(jax.jit(region)(jnp.ones((8, 8))).shape)

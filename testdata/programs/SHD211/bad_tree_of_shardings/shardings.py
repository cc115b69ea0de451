import jax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
LAYOUT = {"w": NamedSharding(MESH, P("model")), "b": NamedSharding(MESH, P())}


def constrain(params, layout=None):
    return jax.lax.with_sharding_constraint(params, layout or LAYOUT)  # want SHD211 "model"

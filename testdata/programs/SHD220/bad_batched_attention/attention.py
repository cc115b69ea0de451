import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "seq"))
batch_sharding = NamedSharding(mesh, P("data"))
ROWS = P("seq", None)


def one(q, k, v):
    def local(q, k, v):
        k, v = (jax.lax.all_gather(t, "seq", tiled=True) for t in (k, v))
        return jax.nn.softmax(q @ k.T) @ v

    return jax.shard_map(local, mesh=mesh, in_specs=(ROWS,) * 3, out_specs=ROWS)(q, k, v)


attend = jax.vmap(one)  # want SHD220 "spmd_axis_name"

from functools import partial

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

FREE = P.UNCONSTRAINED
SPECS = dict(x=P("data", FREE), w=P(None, "model"))
mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))


@partial(jax.shard_map, mesh=mesh, in_specs=(SPECS["x"], SPECS["w"]), out_specs=P("data", "model"))  # want SHD106 "in_specs|shard_map"
def project(x, w):
    return jnp.tanh(x @ w)


print(project(jnp.ones((8, 16)), jnp.ones((16, 32))).shape)

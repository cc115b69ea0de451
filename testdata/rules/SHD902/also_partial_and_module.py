from functools import partial
import numpy as np
import jax.numpy as jnp
from jax import devices
from jax.experimental.pjit import pjit  # want SHD902 "jax\.experimental\.pjit\.pjit is deprecated since JAX 0\.8\.0; us"
from jax.experimental import (
    mesh_utils,
    shard_map,
)
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8,)), ('x',))
rows = NamedSharding(mesh, P('x'))


@partial(pjit, in_shardings=rows)
def double(x):
    return 2 * x


f = shard_map.shard_map(  # want SHD902 "jax\.experimental\.shard_map\.shard_map is deprecated since JAX"
    jnp.cos,
    mesh,
    in_specs=(P('x'),),
    out_specs=P('x'),
    check_rep=False,
)
print(double(jnp.ones(8)).shape, f(jnp.ones(8)).shape)

import jax
import jax.numpy as jnp
from jax import shard_map
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(mesh_utils.create_device_mesh((8,)), ("batch",))


def net(theta, x):
    return jnp.tanh(x @ theta)


def features(theta, xs):
    def rows(xs):
        return jax.jacrev(net)(theta, xs)  # want SHD212 "batch"

    return shard_map(rows, mesh=MESH, in_specs=P("batch"), out_specs=P("batch"))(xs)

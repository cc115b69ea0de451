from jax.random import bernoulli, key as new_key
import jax.numpy as jnp
from jax import shard_map
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(create_device_mesh((8,)), ('x',))


def drop(k, x):
    return jnp.where(bernoulli(  # want SHD216 "the key is the same along 'x', so every shard draws the same"
        key=k,
        shape=x.shape,
    ), x, 0.0)


y = shard_map(drop, mesh=mesh, in_specs=(P(), P('x')), out_specs=P('x'))(new_key(0), jnp.ones((16, 6)))
print(bool((y.reshape(8, 2, 6) == y[:2]).all()))

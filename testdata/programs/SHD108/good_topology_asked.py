import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def ordered(shape):
    try:
        return mesh_utils.create_device_mesh(shape, devices=jax.devices(), allow_split_physical_axes=True)
    except NotImplementedError:
        return mesh_utils.create_device_mesh(shape)


def grid(shape, by_host=False):
    if by_host:
        table = np.empty((jax.process_count(), jax.local_device_count()), dtype=object)
        for d in jax.devices():
            table[d.process_index, d.id % jax.local_device_count()] = d
        return table
    return ordered(shape)


mesh = Mesh(grid((4, 2)), ("data", "model"))
hosts = Mesh(grid(None, by_host=True), ("host", "local"))
print(jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("data"))).sharding.spec, hosts.shape)

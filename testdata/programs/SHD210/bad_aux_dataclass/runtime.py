import functools

import jax
from jax.experimental import mesh_utils
from jax.sharding import Mesh

MESH = Mesh(mesh_utils.create_device_mesh((8,)), ("batch",))


def sharded(method, *, in_specs, out_specs, static_self=False):
    """Maps a method over the batch; self stays outside of the map."""

    @functools.wraps(method)
    def call(self, *args):
        body = functools.partial(method, self)
        return jax.shard_map(body, mesh=MESH, in_specs=in_specs, out_specs=out_specs)(*args)  # want SHD210 "scalar|rank 0"

    return call

"""A decorator pins the output of every layer; the layer also runs in a manual region."""
import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))


def pinned(*names):
    def wrap(layer):
        @functools.wraps(layer)
        def call(*args, **kwargs):
            out = layer(*args, **kwargs)
            return jax.lax.with_sharding_constraint(out, P(*names))  # want SHD211 "data"
        return call
    return wrap


@pinned("data", None)
def mlp(params, x):
    return jax.nn.gelu(x @ params["up"]) @ params["down"]


region = jax.shard_map(mlp, mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
params = {"up": jnp.ones((8, 16)), "down": jnp.ones((16, 8))}
with jax.set_mesh(mesh):
    print(jax.jit(region)(params, jnp.ones((8, 8))).shape)

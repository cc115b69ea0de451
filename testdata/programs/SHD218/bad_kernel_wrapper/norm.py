import functools

import jax
import jax.numpy as jnp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

MESH = Mesh(mesh_utils.create_device_mesh((4, 2)), ("batch", "tensor"))


def per_shard(fn, *in_specs, out):
    return jax.shard_map(fn, mesh=MESH, in_specs=in_specs, out_specs=out, check_vma=False)  # want SHD218 "tensor"




def _norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


rms_norm = per_shard(_norm, P("batch"), P(), out=P("batch"))

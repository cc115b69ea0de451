"""Losses of all replicas as a replicated vector."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P

axis = "dp"
mesh = Mesh(mesh_utils.create_device_mesh((8,)), (axis,))


def losses(w, x):
    local = jnp.mean((x @ w) ** 2)
    everyone = lax.all_gather(local, axis)  # want SHD213 "dp"
    worst = lax.pmax(local, axis)
    return dict(everyone=everyone, worst=worst)


f = jax.shard_map(losses, mesh=mesh, in_specs=(P(), P(axis)), out_specs=P())
print(f(jnp.ones(4), jnp.ones((16, 4))))

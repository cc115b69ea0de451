"""A dictionary of gathered candidates."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("shard",), axis_types=(AxisType.Auto,))


def search(q, table):
    scores = table @ q
    vals, idx = lax.top_k(scores, 2)
    idx = idx + lax.axis_index("shard") * table.shape[0]
    vals = lax.all_gather(vals, "shard", tiled=True)  # want SHD213 "shard"
    idx = lax.all_gather(idx, "shard").reshape(-1)  # want SHD213 "shard"
    return {"values": vals, "ids": idx}


print(jax.shard_map(search, mesh=mesh, in_specs=(P(), P("shard")), out_specs={"values": P(), "ids": P()})(jnp.ones(4), jnp.ones((32, 4))))

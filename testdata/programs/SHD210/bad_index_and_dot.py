"""Vector products, indices and counts are scalars."""
import jax
import jax.numpy as np
from jax import lax
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P
import numpy as onp

mesh = Mesh(onp.array(jax.devices()), ("i",))


def energy(x):
    return {"dot": np.dot(x, x), "rank": lax.axis_index("i"), "x": x, "count": (x > 0).sum()}


OUT = {"dot": P("i"), "rank": P("i"), "x": P("i"), "count": P("i")}
f = shard_map(energy, mesh=mesh, in_specs=P("i"), out_specs=OUT)  # want SHD210 "rank 0|scalar"
print(f(np.ones(16)))

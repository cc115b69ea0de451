from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
BATCH = ("data", "model")


def spec(*dims):
    return NamedSharding(mesh, P(*dims))


class Axes:
    batch = "data"
    embed = "data"


ok = spec("data", "model")
bad = spec("model", None, "model")  # want SHD102 "model"
worse = NamedSharding(mesh=mesh, spec=P(Axes.batch, Axes.embed))  # want SHD102 "data"


@partial(shard_map, mesh=mesh, in_specs=(P(BATCH), P(*BATCH)), out_specs=P(BATCH, "data"))  # want SHD102 "data"
def f(x, y):
    return x

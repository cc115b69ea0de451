import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from dist import barrier, is_leader

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), np.ones((8, 2), np.float32))


def report(x):
    match is_leader():
        case True:
            print(multihost_utils.process_allgather(x, tiled=True).sum())  # want SHD701 "process_allgather"


report(x)
if is_leader():
    print("total", x.sum())  # want SHD701 "x\.sum"
barrier("done")

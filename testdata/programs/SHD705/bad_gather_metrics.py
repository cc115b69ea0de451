import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
score = jax.jit(lambda x: {"acc": x.mean(-1)}, out_shardings=rows)


def gather(tree, fn=multihost_utils.process_allgather):
    return fn(tree)  # want SHD705 "tiled"


out = score(jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32)))
print(gather(out)["acc"].shape)

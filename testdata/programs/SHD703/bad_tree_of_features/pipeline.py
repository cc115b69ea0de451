import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
MESH = Mesh(np.array(jax.devices()), ("data",))


def to_global(batch, axis="data"):
    sharding = NamedSharding(MESH, P(axis))
    return jax.tree.map(lambda x: jax.make_array_from_process_local_data(sharding, x), batch)  # want SHD703 "global_batch_size"

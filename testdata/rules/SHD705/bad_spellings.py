"""The same in other spellings."""
import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather as gather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize("localhost:12796", 1, 0)
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
x = jax.make_array_from_process_local_data(rows, np.ones((8, 2), np.float32))
print(gather(x).shape, gather(in_tree=x).shape)  # want SHD705 "process_allgather of an array of a mesh raises without tiled"  # want SHD705 "process_allgather of an array of a mesh raises without tiled"

"""Each batch is made a global array first, in several ways."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
f = jax.jit(lambda x: x.sum(), in_shardings=rows)
local = np.ones((8, 2), np.float32)
a = jax.make_array_from_process_local_data(rows, local)
b = multihost_utils.host_local_array_to_global_array(local, mesh, P("data"))
c = jax.make_array_from_callback((8, 2), rows, lambda i: local[i])
batch = local
batch = jax.tree.map(lambda t: jax.make_array_from_process_local_data(rows, t), batch)
print(f(a), f(b), f(c), f(batch))

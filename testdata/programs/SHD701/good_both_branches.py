"""Both branches run the same computation."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), np.ones((8, 2), np.float32))
host_seed = np.int32(0)
if jax.process_index() == 0:
    host_seed = np.int32(1234)
seed = multihost_utils.broadcast_one_to_all(host_seed)
total = float(jnp.sum(x))
if jax.process_index() == 0:
    text = f"seed {int(seed)} total {total:.1f}"
    print(text)

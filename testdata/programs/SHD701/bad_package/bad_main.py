import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from runtime import is_main, start
from saving import save

start()
mesh = Mesh(np.array(jax.devices()), ("data",))
state = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), np.ones((jax.local_device_count(), 2), np.float32))
if is_main():
    save(state)

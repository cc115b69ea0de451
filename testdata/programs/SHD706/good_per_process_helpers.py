import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mine = [d for d in jax.devices() if d.process_index == jax.process_index()]
scratch = jax.device_put(np.ones(3), mine[0])
host_mesh = Mesh(np.array(jax.local_devices()), ("local",))
global_mesh = Mesh(np.array(jax.devices()), ("data",))
preprocessed = jax.device_put(np.ones((8, 2), np.float32), NamedSharding(host_mesh, P("local")))
batch = jax.make_array_from_process_local_data(NamedSharding(global_mesh, P("data")), np.asarray(preprocessed))
platform = jax.devices()[0].platform
print(scratch.sum(), batch.shape, platform, jax.devices("cpu")[0].device_kind)

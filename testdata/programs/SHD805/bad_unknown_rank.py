"""Parameters are loaded from a file: nothing is known of their shapes."""
import pickle

import jax
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("fsdp",))
fsdp = NamedSharding(mesh, P("fsdp"))
loaded = pickle.loads(pickle.dumps({"w": np.ones((64, 64), np.float32)}))
optimizer = optax.adam(1e-3)
params = jax.tree.map(lambda x: jax.device_put(x, fsdp), loaded)
opt_state = jax.jit(optimizer.init)(params)  # want SHD805 "out_shardings"
print(len(opt_state[0].mu["w"].sharding.device_set))

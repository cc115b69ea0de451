import tempfile

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import checkpointing

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
directory = tempfile.mkdtemp()
checkpointing.save(directory, {"w": jax.device_put(np.ones((16, 4), np.float32), rows)})
print(checkpointing.load(directory)["w"].shape)

"""Noise drawn per process and then declared to be one replicated array."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
everywhere = NamedSharding(mesh, P(None, None))
rng = np.random.default_rng(1234 + jax.process_index())
noise = rng.standard_normal((16, 4)).astype(np.float32)
anchors = jax.make_array_from_process_local_data(everywhere, noise)  # want SHD703 "process_index"
print(anchors.shape, jax.process_count())

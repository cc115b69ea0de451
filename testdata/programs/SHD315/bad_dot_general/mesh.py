import numpy as np
import jax
from jax.sharding import Mesh, PartitionSpec

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
activations = PartitionSpec(None, "model")

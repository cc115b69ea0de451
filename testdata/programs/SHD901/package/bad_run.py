import jax
import numpy as np
from compat import Mesh, NamedSharding, PartitionSpec, use_mesh

mesh = Mesh(np.array(jax.devices()), ("x",))
with use_mesh(mesh):
    print(jax.device_put(np.ones(8), NamedSharding(mesh, PartitionSpec("x"))).sum())

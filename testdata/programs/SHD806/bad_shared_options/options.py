import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

JIT = {"out_shardings": NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))}

from functools import partial

import jax
import numpy as np
from equinox import filter_jit
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

ROWS = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
compiled = partial(filter_jit, out_shardings=ROWS)  # want SHD806 "out_shardings.*filter_shard"

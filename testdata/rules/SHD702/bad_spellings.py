"""The same in other spellings."""
from __future__ import annotations

import numpy as np, jax
from functools import partial

from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize("localhost:12798", 1, 0)
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))


@partial(jax.jit, out_shardings=rows)
def f(x):
    return x + 1


x = f(jax.make_array_from_process_local_data(rows, np.ones((8, 2), np.float32)))
print(np.array(x, dtype=np.float64).sum(), x.tolist()[0])  # want SHD702 "array of x raises with several processes\: its data is sprea"  # want SHD702 "tolist of x raises with several processes\: its data"

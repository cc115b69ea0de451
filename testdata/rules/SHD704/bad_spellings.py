"""The same in other spellings."""
from functools import partial

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize("localhost:12797", 1, 0)
mesh = Mesh(np.array(jax.devices()), ("data",))


@partial(jax.jit, in_shardings=(NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))))
def f(w, batch):
    return w * batch.sum()


def run(local):
    return f(np.ones(()), local)  # want SHD704 "local is a NumPy array and in_shardings spread it as P\(\'da"


g = jax.jit(
    lambda w, x: w * x.sum(),
    in_shardings=(
        None,
        NamedSharding(mesh, P("data")),
    ),
)
print(run(np.ones((8, 2), np.float32)), g(1.0, np.ones((8, 2), np.float32)))  # want SHD704 "the array is a NumPy array and in_shardings spread it as P\("

import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

if os.environ.get("BIG"):
    shape = (4, 2)
else:
    shape = (2, 4)
mesh = Mesh(np.asarray(jax.devices()).reshape(shape), ("data", "model"))


def main(kind):
    if kind == "rows":
        spec = P("data")
    elif kind == "cols":
        spec = P(None, "model")
    else:
        spec = P("expert")  # want SHD101 "expert"
    x = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, spec))
    return x


if __name__ == "__main__":
    for k in ("rows", "cols", "experts"):
        main(k)

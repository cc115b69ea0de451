from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))


@partial(jax.jit, out_shardings={"y": NamedSharding(mesh, P(P.UNCONSTRAINED, "b"))})  # want SHD106 "P\.UNCONSTRAINED in P\(P\.UNCONSTRAINED, 'b'\) of out_shardings:"
def f(x):
    return {"y": x + 1}


print(f(jnp.ones((3, 8)))["y"].shape)

"""A jitted evaluation returns scalars with the layout of a batch."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
rows = NamedSharding(mesh, P("data"))
LAYOUT = {"loss": rows, "per_example": rows}


@partial(jax.jit, out_shardings=LAYOUT)  # want SHD103 "rank 0"
def evaluate(w, x, y):
    logits = jnp.einsum("bi,io->bo", x, w)
    per_example = jnp.square(logits - y).sum(axis=-1)
    return {"loss": per_example.mean(), "per_example": per_example}


out = evaluate(jnp.ones((4, 2)), jnp.ones((8, 4)), jnp.ones((8, 2)))
print(out)

"""Token batches lost a dimension; specs come from a dictionary for the batch."""
import functools

import jax
import jax.numpy as np
import numpy as onp
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(mesh_utils.create_device_mesh((8, 1)), ("data", "seq"))
BATCH_SPECS = {"tokens": P("data", "seq"), "lengths": P("data", None), "weight": P("data")}


def batches(n=2, size=16, length=32):
    for i in range(n):
        yield {
            "tokens": onp.zeros((size, length), onp.int32),
            "lengths": onp.full((size,), length),
            "weight": onp.float32(1.0),
        }


def put(batch, specs):
    return {k: jax.device_put(batch[k], NamedSharding(mesh, specs[k])) for k in batch}


first = next(batches())
tokens = jax.device_put(first["tokens"], NamedSharding(mesh, BATCH_SPECS["tokens"]))
lengths = jax.device_put(first["lengths"], NamedSharding(mesh, BATCH_SPECS["lengths"]))  # want SHD103 "rank 1"
weight = jax.device_put(first["weight"], NamedSharding(mesh, BATCH_SPECS["weight"]))  # want SHD103 "rank 0|scalar"


@functools.partial(jax.jit, out_shardings=NamedSharding(mesh, P("data", None)))  # want SHD103 "rank 1"
def row_sums(x):
    return np.sum(x, axis=-1)


print(row_sums(tokens))

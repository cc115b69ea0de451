"""A dictionary of NumPy arrays under one sharding."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

if jax.process_count() > 1:
    print("hosts:", jax.process_count(), "this is", jax.process_index())
mesh = Mesh(np.array(jax.devices()), ("dp",))


def make_eval(fn):
    return jax.jit(fn, in_shardings=NamedSharding(mesh, P("dp")))


evaluate = make_eval(lambda batch: (batch["x"].sum() + batch["y"].sum()))
batch = {"x": np.ones((8, 4), np.float32), "y": np.ones((8,), np.float32)}
print(evaluate(batch))  # want SHD704 "batch"

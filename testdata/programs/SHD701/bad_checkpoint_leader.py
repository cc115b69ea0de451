"""A leader that evaluates, gathers and reads a reduction, through a property, a decorator and an early return."""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils as mhu
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
RANK, WORLD = jax.process_index(), jax.process_count()


def is_main():
    return RANK == 0


evaluate = jax.jit(lambda w, x: jnp.mean((x @ w) ** 2))


class Trainer:
    def __init__(self):
        local = np.ones((8 // WORLD, 4), np.float32)
        self.x = jax.make_array_from_process_local_data(rows, local)
        self.w = jax.device_put(jnp.ones((4, 2)), NamedSharding(mesh, P()))

    @property
    def leader(self):
        return jax.process_index() == 0

    def log(self, step):
        if self.leader and step % 10 == 0:
            print(step, float(evaluate(self.w, self.x)))  # want SHD701 "evaluate"

    def save(self, path):
        if not is_main():
            return None
        host = mhu.process_allgather(self.x, tiled=True)  # want SHD701 "process_allgather"
        np.save(path, host)
        return path

    def norm(self):
        value = jnp.linalg.norm(self.x) if is_main() else None  # want SHD701 "linalg\.norm"
        return value


t = Trainer()
t.log(0)
t.save("/tmp/x.npy")
t.norm()

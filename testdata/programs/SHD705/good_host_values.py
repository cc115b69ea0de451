"""Stacking the numbers of hosts is what the default does, and here it is asked for by NumPy scalars."""
import jax
import numpy as np
from jax.experimental import multihost_utils


class Clock:
    def process_allgather(self, seconds):
        return [seconds] * jax.process_count()


print(Clock().process_allgather(1.5), multihost_utils.broadcast_one_to_all(np.ones(2)).shape)
print(multihost_utils.process_allgather(np.float32(1.0), True).shape)

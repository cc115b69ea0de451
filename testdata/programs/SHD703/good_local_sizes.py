"""Sizes per device and per process."""
import dataclasses

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()


@dataclasses.dataclass
class Config:
    global_batch_size: int = 32

    @property
    def local_batch_size(self):
        assert self.global_batch_size % jax.process_count() == 0
        return self.global_batch_size // jax.process_count()


cfg = Config()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
a = jax.make_array_from_process_local_data(rows, np.zeros((cfg.local_batch_size, 2), np.float32))
b = jax.make_array_from_process_local_data(rows, np.zeros((2 * jax.local_device_count(), 2), np.float32))
c = jax.make_array_from_process_local_data(rows, np.zeros((cfg.global_batch_size, 2), np.float32), (cfg.global_batch_size, 2)) if jax.process_count() == 1 else a
print(a.shape, b.shape, c.shape)

import dataclasses

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Data:
    global_batch: int = 32
    width: int = 4

    @property
    def local_batch(self):
        n, rest = divmod(self.global_batch, jax.process_count())
        assert rest == 0
        return n


data = Data()
rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))
local = np.random.default_rng(jax.process_index()).normal(size=(data.local_batch, data.width))
x = jax.make_array_from_process_local_data(rows, local, global_shape=(data.global_batch, data.width))
whole = np.ones((data.global_batch, data.width), np.float32)
mine = whole[jax.process_index() :: jax.process_count()]
y = jax.make_array_from_process_local_data(rows, mine)
print(x.shape, y.shape)

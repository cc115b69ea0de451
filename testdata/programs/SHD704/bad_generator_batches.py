import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("data",)), P("data"))


def batches(n):
    rng = np.random.default_rng(jax.process_index())
    for _ in range(n):
        yield rng.random((16, 3), dtype=np.float32)


@jax.jit
def mean(x):
    return x.mean()


total = jax.jit(lambda x: (x * x).sum(), in_shardings=(rows,))
for batch in batches(2):
    print(total(batch), mean(batch))  # want SHD704 "batch"

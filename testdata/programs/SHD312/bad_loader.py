import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

BATCH = ("data", "fsdp")


def batches(n):
    for i in range(n):
        yield {"x": np.full((8, 4), i, np.float32), "y": np.zeros((8,), np.int32)}


def to_device(batch, axes=BATCH):
    spec = PartitionSpec(axes)
    return jax.tree.map(lambda a: jax.device_put(a, spec), batch)  # want SHD312 "(mesh|NamedSharding)"


for batch in batches(2):
    print(to_device(batch)["x"].shape)

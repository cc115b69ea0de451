"""drop_remainder was forgotten: the final batch has fewer rows."""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(8), ("batch",))
rows = NamedSharding(mesh, P("batch"))
IMAGES = np.zeros((100, 4, 4, 3), np.float32)
BATCH = 32


def tail(data, size=BATCH):
    n = len(data) // size
    return data[n * size :]


def half(data):
    return data[: math.ceil(data.shape[0] / 2)]


last = jax.device_put(tail(IMAGES), rows)  # want SHD104 "4.*8"
first = jax.device_put(half(IMAGES), rows)  # want SHD104 "50.*8"
flat = jax.device_put(IMAGES.reshape(-1, 12), rows)
pairs = jax.device_put(np.concatenate([IMAGES, IMAGES[:1]]), rows)  # want SHD104 "101.*8"
print(jax.make_array_from_callback((12, 2), rows, lambda i: np.zeros((12, 2))[i]))  # want SHD104 "12.*8"

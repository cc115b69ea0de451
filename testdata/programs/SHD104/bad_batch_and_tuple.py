"""The batch is split over two axes at once; the size of a mesh axis is used to build it."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("dp", "fsdp"))
PER_DEVICE = 3
batch_size = PER_DEVICE * mesh.shape["dp"]
DATA = NamedSharding(mesh, P(mesh.axis_names))


def loader(steps):
    rng = np.random.default_rng(0)
    for _ in range(steps):
        yield {"image": rng.standard_normal((batch_size, 8, 8)), "label": np.zeros((batch_size,), np.int32)}


def put(batch):
    return jax.tree.map(lambda a: jax.device_put(a, DATA), batch)  # want SHD104 "6.*8"


for batch in loader(1):
    batch = {"image": jnp.zeros((batch_size, 8, 8))} | {"label": jnp.zeros((batch_size,))}
    print(put(batch))

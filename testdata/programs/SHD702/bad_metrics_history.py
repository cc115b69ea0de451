"""Arrays of the mesh handed to NumPy in three ways."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.array(jax.devices()), ("data",))
rows = NamedSharding(mesh, P("data"))
predict = jax.jit(lambda x: {"logits": x * 2, "label": x.argmax(-1)}, out_shardings=rows)


class History:
    def __init__(self):
        self.items = []

    def add(self, out):
        self.items.append(np.array(out["logits"]))  # want SHD702 "logits"

    def labels(self, out):
        return jax.tree.map(np.asarray, {"label": out["label"]})  # want SHD702 "asarray"


def batches(n):
    for _ in range(n):
        yield jax.make_array_from_process_local_data(rows, np.ones((8, 3), np.float32))


history = History()
for batch in batches(2):
    out = predict(batch)
    history.add(out)
    history.labels(out)
    host = jax.device_get(out["logits"])  # want SHD702 "device_get"

"""Two shardings in one loop need two names, and a third in another function may have the first name again."""
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))
batches = [np.ones((8, 8), np.float32) for _ in range(3)]
for batch in batches:
    rows = jax.device_put(batch, NamedSharding(mesh, P("data")))  # want SHD311 "NamedSharding"
    columns = jax.device_put(batch, NamedSharding(mesh, P(None, "data")))  # want SHD311 "NamedSharding"
    print(rows.sharding.spec, columns.sharding.spec)


def place(batches):
    for batch in batches:
        yield jax.device_put(batch, NamedSharding(mesh, P(None)))  # want SHD311 "NamedSharding"


print([x.sharding.spec for x in place(batches)])
